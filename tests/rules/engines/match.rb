# Reads JSON lines {pattern, text}; prints 1 when the pattern is found, 0 when not, "refused" when it is not taken.
require "json"
STDIN.set_encoding("utf-8")
STDIN.each_line do |line|
  one = JSON.parse(line)
  begin
    puts Regexp.new(one["pattern"]).match?(one["text"]) ? 1 : 0
  rescue RegexpError
    puts "refused"
  end
end
