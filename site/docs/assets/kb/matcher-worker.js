/* Runs the matcher beside the page, so that even a log that is slow to search freezes nothing. */
"use strict";
importScripts("log-lines.js", "rule-parts.js", "rule-words.js", "matcher.js");

const known = new Map();
globalThis.kbData = (name, value) => known.set(name, value);

const load = async (name) => {
  if (!known.has(name)) importScripts(`data/${name}.js`);
  return known.get(name);
};

onmessage = async ({ data: { turn, text } }) => {
  try {
    postMessage({ turn, result: await kbMatcher.find(text, load) });
  } catch (error) {
    postMessage({ turn, error: String(error) });
  }
};
