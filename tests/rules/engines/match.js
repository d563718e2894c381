// Reads JSON lines {pattern, text}; prints for each the flags ("", "u", "v") under which the pattern is found.
const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const line of lines) {
  const { pattern, text } = JSON.parse(line);
  const found = [];
  for (const flags of ["", "u", "v"]) {
    try { if (new RegExp(pattern, flags).test(text)) found.push(flags || "-"); }
    catch (error) { found.push("refused:" + flags); }
  }
  console.log(found.join(""));
}
