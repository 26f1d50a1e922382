// Keeps what a phone needs where the network is not: the site's own files, and the last copy of the pages a player looks at.
//
// A copy is shown only when the site cannot be reached, and says so: the body carries data-offline with the instant of the
// copy, and a notice stands above the page. These pages are sent as "no-store" for everything in between; this store is the
// player's own device. Served at the root of the site (config/offline.py), so that it may stand before every page.
"use strict";

const STORE = "deadbutton-2";
const OFFLINE = "/offline/";
const KEPT_PAGES = 20;
const KEPT_AT = "x-kept-at";
const isKept = (path) => /^\/(me\/[^/]+|events\/\d+|events\/\d+\/(clock|seats))\/$/.test(path);
const isFile = (path) => path.startsWith("/static/");
// files have a fingerprint in their names; they are kept without it, so that a new release takes the place of the old one
const plain = (address) => address.replace(/(\/static\/.*)\.[0-9a-f]{12}(?=\.\w+$)/, "$1");
const isAway = (response) => [502, 503, 504].includes(response.status);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(STORE).then((store) => store.add(OFFLINE)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== STORE).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

// The page that registers this worker was loaded before it: it tells which addresses to keep.
self.addEventListener("message", (event) => {
  const addresses = (event.data?.keep || []).map((address) => new URL(address, self.location)).filter((url) => url.origin === self.location.origin);
  event.waitUntil(Promise.allSettled(addresses.map((url) => fetchAndKeep(new Request(url, { credentials: "same-origin" }), url))));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (isFile(url.pathname)) event.respondWith(fetchAndKeep(request, url).catch(() => kept(request)));
  else if (request.mode === "navigate") event.respondWith(page(request, url));
});

async function fetchAndKeep(request, url) {
  const response = await fetch(request);
  if (response.ok && !response.redirected && (isFile(url.pathname) || isKept(url.pathname))) {
    await keep(request.url, response.clone()).catch(() => {}); // with a full store the answer is as good
  }
  return response;
}

async function keep(address, response) {
  const store = await caches.open(STORE);
  const headers = new Headers(response.headers);
  headers.set(KEPT_AT, String(Date.now()));
  await store.put(plain(address), new Response(await response.blob(), { status: response.status, headers }));
  const pages = (await store.keys()).filter((request) => isKept(new URL(request.url).pathname));
  await Promise.all(pages.slice(0, -KEPT_PAGES).map((request) => store.delete(request)));
}

async function kept(request) {
  return (await caches.match(plain(request.url))) || Response.error();
}

async function page(request, url) {
  try {
    const response = await fetchAndKeep(request, url);
    if (!isAway(response)) return response;
  } catch {
    // the site cannot be reached: what is kept is better than nothing
  }
  const copy = isKept(url.pathname) && (await caches.match(request.url));
  return copy ? marked(copy) : (await caches.match(OFFLINE)) || Response.error();
}

async function marked(copy) {
  const at = Number(copy.headers.get(KEPT_AT));
  const time = new Date(at).toLocaleTimeString("en-NZ", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const notice = `<div class="notice warn offline-notice" role="alert"><span class="grow"><b>Not live.</b> No connection to the site: this is how it stood at <span class="num">${time}</span>. The clock runs on as it was then.</span></div>`;
  const text = await copy.text();
  const headers = new Headers(copy.headers);
  return new Response(text.replace("<body ", `<body data-offline="${at}" `).replace(/(<main [^>]*>)/, `$1${notice}`), { headers });
}
