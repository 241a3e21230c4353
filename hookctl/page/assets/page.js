"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const el = (tag, cls, ...kids) => { const e = document.createElement(tag); if (cls) e.className = cls; e.append(...kids); return e; };
  const data = document.body.dataset;
  const many = (n, noun) => n + " " + noun + (n === 1 ? "" : "s");
  const clock = t => new Date(t).toLocaleTimeString("en-GB");

  // What is packed into an export: gzip in base64, as a text.
  async function unpack(id) {
    const raw = Uint8Array.from(atob($(id).textContent), c => c.charCodeAt(0));
    return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  // What is new is shown while the page is looked at; what comes in one second, at once.
  function follow(url, renew) {
    let source, busy = false, more = false;
    const go = async () => {
      if (busy) { more = true; return; }
      busy = true;
      const begin = performance.now();
      try { await renew(); } catch { /* the source says what is wrong */ }
      setTimeout(() => { busy = false; if (more) { more = false; go(); } }, Math.max(1000, 10 * (performance.now() - begin)));
    };
    const trouble = words => { $("trouble").textContent = words; $("trouble").hidden = !words; };
    const start = () => {
      if (document.hidden) { source && source.close(); source = null; return; }
      if (source) return;
      source = new EventSource(url());
      source.onmessage = () => { trouble(""); go(); };
      source.addEventListener("there", () => trouble(""));
      source.addEventListener("lost", e => trouble(e.data));
      source.onerror = () => { if ($("trouble").hidden) trouble("The page's command has ended; start it again."); };
    };
    document.addEventListener("visibilitychange", start);
    start();
  }
  async function fresh() {
    const answer = await fetch(location.href);
    if (!answer.ok) throw new Error(answer.status);
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  }

  if (document.body.classList.contains("list")) {
    const filter = () => {
      const q = $("filter").value.toLowerCase();
      for (const c of document.querySelectorAll(".card")) c.hidden = !c.textContent.toLowerCase().includes(q);
      for (const s of document.querySelectorAll("main section")) s.hidden = q && !s.querySelector(".card:not([hidden])");
      $("none").hidden = !q || document.querySelector(".card:not([hidden])");
    };
    $("filter").addEventListener("input", filter);
    $("filter").addEventListener("keydown", e => { if (e.key === "Enter") location.href = e.target.value.trim() ? "/find?q=" + encodeURIComponent(e.target.value) : "/"; });
    document.addEventListener("keydown", e => { if (e.key === "/" && e.target !== $("filter")) { e.preventDefault(); $("filter").focus(); } });
    if (!data.live) return;
    follow(() => data.live, async () => {
      const doc = await fresh(), at = document.activeElement.getAttribute("href");
      $("main").replaceWith(doc.getElementById("main"));
      filter();
      for (const a of document.querySelectorAll(".card a")) if (at && a.getAttribute("href") === at) a.focus({ preventScroll: true });
    });
    return;
  }

  let moves = [], frames = [], calls = {}, bodies = null, at = -1, here = null; // calls: their rows
  const every = 200; // a frame is kept of every so many states

  const apply = (state, m) => {
    for (const k of m.g || []) state.delete(k);
    for (const k in m.s || {}) { state.delete(k); state.set(k, m.s[k]); }
  };
  function stateAt(i) {
    const f = Math.floor(i / every);
    const state = new Map(frames[f]);
    for (let j = f * every; j <= i; j++) apply(state, moves[j]);
    return state;
  }
  function index() {
    frames = [];
    const state = new Map();
    moves.forEach((m, i) => {
      if (i % every === 0) frames.push(new Map(state));
      apply(state, m);
      for (const k in m.s || {}) if (k.startsWith("call ")) calls[k.slice(5)] ??= m.r;
    });
  }

  // The state beside the timeline. It has no markup of its own: every text is a text.
  function panel(i) {
    const s = stateAt(i), m = moves[i], out = $("state"), parts = [];
    const changed = new Set(Object.keys(m.s || {}));
    const kind = k => { const all = []; for (const [key, v] of s) if (key.startsWith(k + " ")) all.push([key.slice(k.length + 1), v, changed.has(key)]); return all; };
    const head = (t, n) => parts.push(el("h2", "", n === undefined ? t : t + " (" + n + ")"));
    const item = (mark, cls, text, note, hot) => el("li", hot ? "changed" : "", el("b", cls, mark), el("span", "", text, " ", el("small", "", note || "")));
    const short = path => path.startsWith(data.root) ? path.slice(data.root.length) : path;
    const list = (all, make, most) => {
      const ul = el("ul"); all.slice(0, most).forEach(x => ul.append(make(x))); parts.push(ul);
      if (all.length > most) { const d = el("details", "", el("summary", "", (all.length - most) + " more")), rest = el("ul"); all.slice(most).forEach(x => rest.append(make(x))); d.append(rest); parts.push(d); }
    };
    const say = (name, key) => { const v = s.get(key); if (v) { head(name); parts.push(el("p", changed.has(key) ? "changed" : "", v.text)); } };
    parts.push(el("p", "", el("small", "", "as of sequence " + m.q + ", the same as "), el("code", "", "replay at " + m.q)));
    say("Goal", "goal");
    const goal = (s.get("goal") || { text: "" }).text.replace(/…$/, ""); // it may be cut
    if (!goal || !(s.get("task") || { text: "" }).text.startsWith(goal)) say("Task", "task");
    const c = s.get("context");
    if (c) { head("Context in use"); const share = Math.round(100 * c.used / (c.window || 1)), bar = el("i"); bar.style.width = Math.min(100, share) + "%"; parts.push(el("div", "meter", bar), el("p", changed.has("context") ? "changed" : "", share + " %, " + c.phase, " ", el("small", "", c.used.toLocaleString("en") + " of " + c.window.toLocaleString("en") + " tokens, when the phase changed last"))); }
    const id = s.get("identity");
    if (id) { head("Identity"); parts.push(el("p", changed.has("identity") ? "changed" : "", id.state + ": continuity " + id.ic.toFixed(2) + " (" + id.class + "), coherence " + id.r.toFixed(2)), el("p", "", el("small", "", id.guidance))); }
    const errors = kind("error");
    head("Open failures", errors.length);
    if (errors.length) list(errors, ([k, v, hot]) => item("✗", "bad", short(k) + ":", v.text, hot), 8); else parts.push(el("p", "", el("small", "", "none")));
    const gates = kind("gate");
    if (gates.length) { head("Gates", gates.length); list(gates, ([k, v, hot]) => item(v.state.startsWith("met") ? "✓" : "■", "", k + " ", v.state, hot), 12); }
    const running = [...kind("call"), ...kind("agent")];
    const about = id => { const row = $(calls[id]), what = row && row.querySelector(".what"); return what ? el("span", "path", what.textContent) : ""; };
    if (running.length) { head("Running", running.length); list(running, ([k, v, hot]) => item("›", "", v.text || "subagent", about(k), hot), 6); }
    const files = kind("file").reverse();
    if (files.length) { head("Files", files.length); list(files, ([k, v, hot]) => item(v.created ? "+" : v.edited ? "✎" : "·", "", el("span", "path", short(k)), [v.created && "created", v.edited && "edited " + v.edited, v.read && "read " + v.read].filter(Boolean).join(", "), hot), 10); }
    const commands = kind("command").reverse();
    if (commands.length) { head("Commands", commands.length); list(commands, ([k, v, hot]) => item(v.ok ? "✓" : "✗", v.ok ? "" : "bad", el("span", "path", k), [v.result, v.runs > 1 && v.runs + " runs"].filter(Boolean).join(", "), hot), 6); }
    const todos = kind("todo").sort((a, b) => a[0] < b[0] ? -1 : 1);
    if (todos.length) { head("To do", todos.length); list(todos, ([, v, hot]) => item(v.status === "completed" ? "✓" : v.status === "in_progress" ? "›" : "□", "", v.text, v.status === "pending" ? "" : v.status.replace("_", " "), hot), 20); }
    const words = kind("correction");
    if (words.length) { head("What the user refused", words.length); list(words, ([, v, hot]) => item("!", "", v.text, "", hot), 6); }
    say("Handoff", "handoff");
    const self = s.get("session");
    if (self) { head("Session"); parts.push(el("p", "", [self.standing, self.branch && "branch " + self.branch, self.model, many(self.prompts, "prompt"), many(self.failures, "failed call"), self.compactions && many(self.compactions, "compaction")].filter(Boolean).join(" · "))); }
    out.replaceChildren(...parts);
    out.dataset.seq = m.q;
    $("brief").textContent = [id && id.brief, errors.length && many(errors.length, "open failure"), many(files.length, "file")].filter(Boolean).join(" · ");
  }

  function mark(i, scroll) {
    const row = $(moves[i].r);
    if (here) here.classList.remove("here");
    here = row;
    if (!row) return;
    row.classList.add("here");
    const turn = row.closest(".turn");
    let later = false;
    for (const t of document.querySelectorAll(".turn")) { t.firstElementChild.classList.toggle("later", later); if (t === turn) later = true; }
    if (!scroll) return;
    for (let d = row.parentElement.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    const box = (row.querySelector("summary") || row).getBoundingClientRect();
    if (box.top < $("deck").offsetHeight || box.bottom > innerHeight - 20) scrollTo({ top: scrollY + box.top - innerHeight / 2 });
  }

  let wanted = null;
  function seek(i, scroll = true) {
    i = Math.max(0, Math.min(moves.length - 1, i));
    if (!moves.length || i === at) return;
    at = i;
    const m = moves[i], words = (i + 1) + " of " + moves.length + " · " + clock(m.t) + " · " + m.y;
    $("scrub").value = i;
    $("scrub").setAttribute("aria-valuetext", words);
    $("now").textContent = words;
    $("cursor").style.left = 100 * i / Math.max(1, moves.length - 1) + "%";
    if (wanted === null) requestAnimationFrame(() => { const now = wanted; wanted = null; panel(at); mark(at, now); });
    wanted = scroll;
  }
  // Moves to the next event, in a direction, of which the test holds.
  function jump(dir, test) {
    for (let i = at + dir; i >= 0 && i < moves.length; i += dir) if (test(moves[i], i)) return seek(i);
  }

  // Rows by id, without the sign that a second row of the same event has.
  async function unfold(d, again) {
    const box = d.querySelector(":scope > .body");
    if (!d.open || box.childNodes.length && !again) return;
    const id = d.dataset.row;
    if (bodies) { box.innerHTML = bodies[id] || ""; return; } // from our template, escaped there
    if (!box.childNodes.length) box.textContent = "…";
    try {
      const a = await fetch(data.body + id), text = await a.text();
      if (!a.ok) throw 0;
      if (!again || box.shown !== text) box.innerHTML = box.shown = text;
    } catch { box.textContent = "It could not be read: the page's command or the daemon has ended."; }
  }

  const strip = new DOMParser();
  async function search(q) {
    q = q.trim().toLowerCase();
    let hits = null;
    if (q) {
      hits = new Set();
      for (const r of document.querySelectorAll(".row,.turn>summary")) if (r.matches(".row") ? r.querySelector("summary").textContent.toLowerCase().includes(q) : r.textContent.toLowerCase().includes(q)) hits.add(r.id);
      if (bodies) { for (const id in bodies) if (bodies[id].toLowerCase().includes(q) && strip.parseFromString(bodies[id], "text/html").body.textContent.toLowerCase().includes(q)) hits.add(id); }
      else { try { (await (await fetch(data.grep + "?q=" + encodeURIComponent(q))).json()).forEach(id => hits.add(id)); } catch { /* the rows' own words are searched */ } }
      if (q !== $("find").value.trim().toLowerCase()) return;
    }
    for (const r of document.querySelectorAll(".row")) r.hidden = hits && !hits.has(r.id);
    for (const r of document.querySelectorAll(".row:not([hidden])")) for (let p = r.parentElement.closest(".row"); p; p = p.parentElement.closest(".row")) p.hidden = false;
    for (const t of document.querySelectorAll(".turn")) {
      const some = hits && (hits.has(t.querySelector("summary").id) || t.querySelector(".row:not([hidden])"));
      t.hidden = hits && !some;
      if (some) t.open = true;
    }
    $("found").textContent = hits ? many(hits.size, "row") : "";
  }

  function wire() {
    document.addEventListener("toggle", e => { if (e.target.dataset && e.target.dataset.row) unfold(e.target); }, true);
    $("main").addEventListener("click", e => {
      const row = e.target.closest(".row,.turn>summary");
      if (!row || e.target.closest(".body")) return;
      let last = -1;
      moves.forEach((m, i) => { if (m.r === row.id) last = i; });
      if (last >= 0) seek(last, false);
    });
    $("scrub").addEventListener("input", e => seek(+e.target.value));
    $("back").addEventListener("click", () => seek(at - 1));
    $("on").addEventListener("click", () => seek(at + 1));
    $("help").addEventListener("click", () => $("keys").showModal());
    let waits;
    $("find").addEventListener("input", e => { clearTimeout(waits); waits = setTimeout(() => search(e.target.value), 120); });
    const pick = e => { const b = $("tracks").getBoundingClientRect(); seek(Math.round((e.clientX - b.left) / b.width * (moves.length - 1))); };
    $("tracks").addEventListener("pointerdown", e => { pick(e); $("tracks").setPointerCapture(e.pointerId); });
    $("tracks").addEventListener("pointermove", e => { if (e.buttons) pick(e); });
    const failed = m => /failed$|blocked$|denied$/.test(m.y), prompt = m => m.y === "prompt.submitted";
    const other = m => m.r !== moves[at].r;
    document.addEventListener("keydown", e => {
      if (e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
      const typing = e.target.matches("input[type=search]");
      if (e.key === "Escape" && typing) { e.target.value = ""; search(""); e.target.blur(); return; }
      if (typing) return;
      const keys = {
        ArrowLeft: () => seek(at - 1), ArrowRight: () => seek(at + 1), Home: () => seek(0), End: () => seek(moves.length - 1),
        ArrowUp: () => jump(-1, other), ArrowDown: () => jump(1, other), k: () => jump(-1, other), j: () => jump(1, other),
        "[": () => jump(-1, prompt), "]": () => jump(1, prompt), f: () => jump(1, failed), F: () => jump(-1, failed),
        "/": () => $("find").focus(), "?": () => $("keys").showModal(),
        Enter: () => { if (e.target.matches("summary,button,a")) return true; const d = here && here.querySelector("details"); if (d) d.open = !d.open; },
      };
      if (keys[e.key] && keys[e.key]() !== true) e.preventDefault();
    });
    const deck = () => document.documentElement.style.setProperty("--deck", $("deck").offsetHeight + "px");
    addEventListener("resize", deck);
    deck();
    if (matchMedia("(max-width:900px)").matches) $("fold").open = false;
  }

  function load(list) {
    const first = at < 0, end = first || at === moves.length - 1;
    moves = list;
    index();
    $("scrub").max = Math.max(0, moves.length - 1);
    $("scrub").disabled = !moves.length;
    const to = end ? moves.length - 1 : at;
    at = -1;
    const seq = first && /^#e(\d+)$/.exec(location.hash);
    const i = seq ? moves.findIndex(m => m.q >= +seq[1]) : -1;
    seek(i >= 0 ? i : to, i >= 0);
    if (i >= 0) requestAnimationFrame(() => { const d = here && here.querySelector("details"); if (d) d.open = true; });
  }

  // What each event changed of the state.
  async function states() { load(await fetch(data.moves).then(a => a.json())); }

  // Brings the timeline to what it is now. Elements that stay keep the focus, what is selected in them, and whether they are unfolded.
  function merge(old, now) {
    if (old.matches(".body")) return;
    for (const c of ["here", "later"]) if (old.classList.contains(c)) now.classList.add(c);
    if (old.className !== now.className) old.className = now.className;
    const had = [...old.childNodes], has = [...now.childNodes];
    has.forEach((n, i) => {
      const o = had[i];
      if (!o) old.append(n);
      else if (o.nodeName !== n.nodeName || o.id !== n.id) o.replaceWith(n);
      else if (n.nodeType === Node.TEXT_NODE) { if (o.data !== n.data) o.data = n.data; }
      else merge(o, n);
    });
    had.slice(has.length).forEach(o => o.remove());
  }
  async function renew() {
    const doc = await fresh();
    merge($("main"), doc.getElementById("main"));
    merge(document.querySelector(".top .facts"), doc.querySelector(".top .facts"));
    $("tracks").replaceChildren(...doc.getElementById("tracks").childNodes);
    for (const d of document.querySelectorAll("#main details[data-row]")) if (d.open) unfold(d, true); else d.querySelector(":scope > .body").replaceChildren();
    await states();
    if ($("find").value) search($("find").value);
  }

  (async () => {
    wire();
    if ($("pack")) {
      const pack = JSON.parse(await unpack("pack"));
      bodies = pack.bodies;
      load(pack.moves);
      $("check").addEventListener("click", async () => {
        const text = await unpack("events"), bytes = new TextEncoder().encode(text);
        const sum = [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map(b => b.toString(16).padStart(2, "0")).join("");
        $("checked").textContent = sum === $("digest").textContent ? "✓ they are what the digest says" : "✗ they are not what the digest says";
        const a = el("a"); a.href = URL.createObjectURL(new Blob([bytes], { type: "application/x-ndjson" })); a.download = "events.ndjson"; a.click();
      });
    } else {
      await states();
      follow(() => data.live + "?after=" + (moves.length ? moves[moves.length - 1].q : 0), renew);
    }
    document.body.dataset.ready = "1";
  })();
})();
