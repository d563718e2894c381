/* Runs the matcher beside the page, so that even a log that is slow to search freezes nothing. */
"use strict";
importScripts("log-lines.js", "rule-parts.js", "rule-words.js", "whose.js", "matcher.js");

const known = new Map();

/* Where a host lets its pages fetch nothing, but load scripts. */
const imported = (name) => {
  let given;
  globalThis.kbData = (_, value) => { given = value; };
  importScripts(`data/${name}.js`);
  return given;
};

/* A data file: a script that hands over JSON. Fetched, since scripts would come one after the other. */
const fetched = async (name) => {
  const answer = await fetch(`data/${name}.js`).catch(() => null);
  if (!answer) return imported(name);
  if (!answer.ok) throw new Error(`cannot load ${name}`);
  const script = await answer.text();
  return JSON.parse(script.slice(script.indexOf("["), script.lastIndexOf(")")))[1];
};
const load = (name) => {
  if (!known.has(name)) known.set(name, fetched(name));
  known.get(name).catch(() => known.delete(name));
  return known.get(name);
};

onmessage = async ({ data: { turn, text } }) => {
  try {
    postMessage({ turn, result: await kbMatcher.find(text, load) });
  } catch (error) {
    postMessage({ turn, error: String(error) });
  }
};
