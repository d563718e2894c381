/* Takes the place of the theme's search worker. */
"use strict";
importScripts("search.js");

const known = new Map();
globalThis.kbData = (name, value) => known.set(name, value);

const load = async (name) => {
  if (!known.has(name)) importScripts(`data/${name}.js`);
  return known.get(name);
};

const answer = kbSearch.answer((message) => postMessage(message), load);
onmessage = ({ data }) => answer(data);
