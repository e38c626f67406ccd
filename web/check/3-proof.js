// ---------------------------------------------------------------- proofs by alibis

const STEPS = 40_000_000_000; // of all searches of one proof together
const PROOF_FORMAT = "sordino-proof/1";

/** A number of steps that may be spent. */
class Effort {
  constructor(limit, what) {
    this.left = limit;
    this.what = what;
  }
  spend(steps) {
    this.left -= steps;
    if (this.left < 0) leaveOpen(`${this.what} would take too long, and was given up`);
  }
}

/** Equal records as one class, named by the first of them. Items are numbered by the code points of their names. */
class Classes {
  static async of(baskets) {
    const table = new Classes();
    table.names = [...baskets.names].sort(byCodePoint);
    table.codeOf = new Map(table.names.map((name, code) => [name, code]));
    const moved = Int32Array.from(baskets.names, (name) => table.codeOf.get(name));
    const classOf = new Map(), digest = new Sha256();
    table.records = baskets.length;
    table.first = [];
    table.weight = [];
    table.items = [];
    table.classNamed = new Int32Array(baskets.length).fill(-1);
    let text = "";
    for (let u = 0; u < baskets.length; u++) {
      const codes = baskets.records[u].map((code) => moved[code]).sort();
      const key = codes.join();
      let c = classOf.get(key);
      if (c === undefined) {
        c = table.first.length;
        classOf.set(key, c);
        table.classNamed[u] = c;
        table.first.push(u);
        table.weight.push(0);
        table.items.push(codes);
      }
      table.weight[c]++;
      text += Array.from(codes, (code) => table.names[code]).join("\x1f") + "\n";
      if (text.length > PIECE) {
        digest.update(utf8.encode(text));
        text = "";
      }
      if ((u & 255) === 0) await rest("Sorting equal records", u, baskets.length);
    }
    table.fingerprint = digest.update(utf8.encode(text)).hex();
    table.holders = table.names.map(() => []);
    table.items.forEach((codes, c) => { for (const code of codes) table.holders[code].push(c); });
    return table;
  }

  has(c, item) {
    const codes = this.items[c];
    let low = 0, high = codes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (codes[middle] < item) low = middle + 1;
      else high = middle;
    }
    return low < codes.length && codes[low] === item;
  }

  /** Whether class `outer` has all items of class `inner` but `spared`. */
  covers(outer, inner, spared) {
    const have = this.items[outer];
    let k = 0;
    for (const item of this.items[inner]) {
      if (item === spared) continue;
      while (k < have.length && have[k] < item) k++;
      if (k === have.length || have[k] !== item) return false;
    }
    return true;
  }
}

/**
 * Whether the proof shows that nobody who knows at most `knowledge` items (null: any number) can infer a sensitive item
 * above its threshold. thresholds: name -> Ratio, each with a denominator that is at most the number of records.
 */
async function checkProof(release, baskets, thresholds, knowledge) {
  const content = await readProof(release, baskets, thresholds);
  const table = await Classes.of(baskets);
  const entries = proofEntries(content, table, thresholds, knowledge);
  const effort = new Effort(STEPS, "the search of what the proof leaves open");
  let served = 0, searched = 0, done = 0;
  for (const item of [...thresholds.keys()].sort(byCodePoint)) {
    const entry = entries.has(item) ? entries.get(item) : null;
    const [byAlibi, bySearch] = await checkItem(item, thresholds.get(item), knowledge, entry, table, effort);
    served += byAlibi;
    searched += bySearch;
    await rest("Checking the proof", done++, thresholds.size);
  }
  const seal = content.get("sha256");
  const bare = new Map(content);
  bare.delete("sha256");
  if (seal !== await sha256(utf8.encode(writeJson(bare, null, true)), "Checking the proof")) {
    refuse("the proof was changed: its own checksum does not fit");
  }
  return { served, searched };
}

async function readProof(release, baskets, thresholds) {
  const problem = "the proof cannot be read";
  let rows = 0n;
  let letters = 0n;
  for (const [item, rho] of thresholds) {
    rows += BigInt(baskets.support(item)) * (2n + rho.den / (rho.num > 1n ? rho.num : 1n));
    letters += BigInt([...item].length);
  }
  const wanted = 2n ** 25n + 64n * rows + letters * 6n, most = 2n ** 33n;
  const room = Number(wanted < most ? wanted : most);
  const raw = await release.bytes("proof.json.gz");
  if (raw.length > room) leaveOpen(`proof.json.gz is larger than ${bytesInWords(room)}, which is too much to be read`);
  const bytes = await unzipped(raw, problem, room);
  let content;
  try {
    content = new Json(bytes).whole();
  } catch (error) {
    if (error instanceof NotJson || error instanceof Twice || error instanceof RangeError) refuse(`${problem}: it is not valid JSON`);
    throw error;
  }
  if (!(content instanceof Map)) refuse(`${problem}: it is not a JSON object`);
  return content;
}

function proofEntries(content, table, thresholds, knowledge) {
  if (content.get("format") !== PROOF_FORMAT) refuse(`the proof is not of the format ${PROOF_FORMAT}`);
  for (const key of ["data", "records", "knowledge", "items"]) if (!content.has(key)) refuse(`the proof has no '${key}'`);
  const known = ["format", "data", "records", "knowledge", "items", "sha256"];
  if (![...content.keys()].every((key) => known.includes(key))) refuse("the proof says something that has no place in it");
  if (content.get("records") !== table.records) refuse("the proof is about another number of records");
  if (content.get("data") !== table.fingerprint) refuse("the proof is about other data: its fingerprint is not that of the records");
  if (content.get("knowledge") !== knowledge) refuse("the proof assumes another limit of knowledge than the policy");
  const entries = content.get("items");
  if (!(entries instanceof Map)) refuse("the proof is malformed: its items are not an object");
  for (const item of entries.keys()) if (!thresholds.has(item)) refuse("the proof speaks of an item that is not sensitive in the policy");
  return entries;
}

async function checkItem(item, rho, knowledge, entry, table, effort) {
  const e = table.codeOf.get(item);
  const needy = e === undefined ? [] : table.holders[e].filter((c) => table.items[c].length > 1);
  if (entry === null && !needy.length) return [0, 0];
  if (entry === null) refuse(`the proof has no entry for '${item}'`);
  if (!(entry instanceof Map)) refuse(`the proof is malformed: the entry for '${item}' is not an object`);
  const known = ["rho", "record", "alibi", "units", "open"];
  if (![...entry.keys()].every((key) => known.includes(key))) {
    refuse(`the entry for '${item}' in the proof says something that has no place in it`);
  }
  if (entry.get("rho") !== `${rho.num}/${rho.den}`) refuse(`the proof has another threshold for '${item}' than the policy`);
  const [record, alibi, units, open] = ["record", "alibi", "units", "open"].map((key) => {
    const column = entry.get(key);
    if (!Array.isArray(column) || !column.every((one) => typeof one === "number" || typeof one === "bigint")) {
      refuse(`the proof is malformed: '${key}' for '${item}' is not a list of whole numbers`);
    }
    return column;
  });
  if (record.length !== alibi.length || record.length !== units.length) {
    refuse(`the proof is malformed: the columns for '${item}' differ in length`);
  }
  const named = (numbers) => {
    if (numbers.some((u) => u < 0 || u >= table.records)) refuse(`the proof for '${item}' names a record that does not exist`);
    const stray = numbers.find((u) => table.classNamed[u] < 0);
    if (stray !== undefined) refuse(`the proof for '${item}' names record ${stray}, which is not the first of its kind`);
    return numbers.map((u) => table.classNamed[u]);
  };
  const [served, givers, left] = [named(record), named(alibi), named(open)];
  if (e !== undefined) {
    let wrong = givers.findIndex((c) => table.has(c, e));
    for (let k = 0; wrong < 0 && k < served.length; k++) {
      if (!table.covers(givers[k], served[k], e)) wrong = k;
      if ((k & 4095) === 0) await rest(`Checking alibis for ${item}`, k, served.length);
    }
    if (wrong >= 0) refuse(`record ${table.first[givers[wrong]]} is no alibi of record ${table.first[served[wrong]]} for '${item}'`);
  }
  checkUnits(item, rho, table, { served, givers, units, needy, left });
  if (e !== undefined && left.length) await searchOpen(left, new OpenSearch(table, e, rho, knowledge, effort), item);
  return [needy.length - left.length, left.length];
}

/** Nobody gives more than it has, and every class that is not open gets what it demands. */
function checkUnits(item, rho, table, { served, givers, units, needy, left }) {
  const num = Number(rho.num), den = Number(rho.den); // at most as large as the number of records
  if (units.some((one) => one < 1)) refuse(`the proof for '${item}' gives units below 1`);
  const demand = new Map(needy.map((c) => [c, table.weight[c] * (den - num)]));
  const got = new Map(), given = new Map();
  units.forEach((count, k) => {
    got.set(served[k], (got.get(served[k]) ?? 0) + Number(count));
    given.set(givers[k], (given.get(givers[k]) ?? 0) + Number(count));
  });
  for (const [c, count] of given) {
    if (count > table.weight[c] * num) refuse(`record ${table.first[c]} gives more units than it has for '${item}'`);
  }
  for (const [c, count] of got) {
    if (!demand.has(c)) refuse(`record ${table.first[c]} needs no alibi for '${item}'`);
    if (count > demand.get(c)) refuse(`record ${table.first[c]} gets more units than it needs for '${item}'`);
  }
  const open = new Set(left);
  if (open.size < left.length) refuse(`the proof lists an open record for '${item}' twice`);
  const stray = left.filter((c) => !demand.has(c)).sort((a, b) => a - b)[0];
  if (stray !== undefined) refuse(`record ${table.first[stray]} is listed as open for '${item}', but needs no alibi`);
  for (const c of needy) {
    if (!open.has(c) && (got.get(c) ?? 0) !== demand.get(c)) {
      refuse(`record ${table.first[c]} has too few alibis for '${item}', and is not listed as open`);
    }
  }
}

/** Examine every part of every open class; a class inside one already examined has no parts of its own. */
async function searchOpen(open, search, item) {
  const { table } = search;
  const order = [...open].sort((a, b) => table.items[b].length - table.items[a].length || a - b);
  const examined = [];
  for (const [k, c] of order.entries()) {
    await rest(`Searching what is open for ${item}`, k, order.length);
    if (examined.some((larger) => table.covers(larger, c, -1))) continue;
    if (await search.discloses(c)) refuse(`part of record ${table.first[c]} discloses '${item}' beyond its threshold`);
    examined.push(c);
  }
}

/**
 * The exact search of one open record R with e: does a part q of U = R without e, of at most m items, have
 * sup(q + e) / sup(q) above rho? Only what other records share with U matters, so they are counted by that part of U.
 *
 * Depth first over q. At q the parts that contain it are at hand, of records with e (A) and without (B). A larger q'
 * lies inside one of the A-parts, so sup_B(q') is at least the smallest sup_B of those parts: where even that keeps
 * sup_A(q) below the threshold, nothing above q needs a look. If knowledge is unlimited, only closed q do (those that
 * hold all that their A-parts share), and each of them is reached in one way only (Uno et al. 2004).
 */
class OpenSearch {
  constructor(table, e, rho, knowledge, effort) {
    Object.assign(this, { table, e, rho, knowledge, effort });
  }

  async discloses(c) {
    const { table, e } = this;
    const universe = [...table.items[c]].filter((item) => item !== e);
    this.size = universe.length;
    const holders = new Set(table.holders[e]);
    const shared = new Map(); // class -> places of U that it holds
    universe.forEach((item, place) => {
      for (const other of table.holders[item]) {
        const places = shared.get(other);
        places ? places.push(place) : shared.set(other, [place]);
      }
      this.effort.spend(table.holders[item].length * 20);
    });
    const parts = [new Map(), new Map()]; // of B, of A: key -> [places, weight]
    for (const [other, places] of shared) {
      const side = parts[holders.has(other) ? 1 : 0], key = places.join();
      const part = side.get(key);
      part ? (part.weight += table.weight[other]) : side.set(key, { places, weight: table.weight[other], held: null });
    }
    const [b, a] = parts.map((side) => [...side.values()]);
    for (const part of [...a, ...b]) {
      part.held = new Uint8Array(this.size);
      for (const place of part.places) part.held[place] = 1;
    }
    for (const part of a) {
      this.effort.spend(b.length * 4);
      part.least = sum(b.filter((other) => part.places.every((place) => other.held[place])));
      await rest("Searching what is open", 0, 0);
    }
    const limited = this.knowledge !== null && this.knowledge < this.size;
    return limited ? this.stepwise(a, b) : this.closed(a, b);
  }

  exceeds(supA, supB) { return exceeds(supA, supA + supB, this.rho); }

  /** Nothing above q, whose A-parts are these, can be above the threshold. */
  isSafe(a, supA) {
    let least = Infinity;
    for (const part of a) if (part.least < least) least = part.least;
    return !this.exceeds(supA, least);
  }

  async stepwise(a, b) {
    const stack = [{ a, b, last: -1, length: 0 }];
    while (stack.length) {
      const at = stack.pop();
      for (let j = at.last + 1; j < this.size; j++) {
        this.effort.spend(10 * (at.a.length + at.b.length) + 100);
        const a2 = at.a.filter((part) => part.held[j]);
        if (!a2.length) continue;
        const supA = sum(a2);
        if (this.isSafe(a2, supA)) continue;
        const b2 = at.b.filter((part) => part.held[j]);
        if (this.exceeds(supA, sum(b2))) return true;
        if (at.length + 1 < this.knowledge) stack.push({ a: a2, b: b2, last: j, length: at.length + 1 });
      }
      await rest("Searching what is open", 0, 0);
    }
    return false;
  }

  async closed(a, b) {
    const common = (parts, known) => {
      const all = [];
      for (let i = 0; i < this.size; i++) if (!known[i] && parts.every((part) => part.held[i])) all.push(i);
      return all;
    };
    const first = common(a, new Uint8Array(this.size));
    const start = b.filter((part) => first.every((i) => part.held[i]));
    if (first.length && this.exceeds(sum(a), sum(start))) return true;
    const q = new Uint8Array(this.size);
    for (const i of first) q[i] = 1;
    const stack = [{ q, a, b: start, last: -1 }];
    while (stack.length) {
      const at = stack.pop();
      for (let j = at.last + 1; j < this.size; j++) {
        if (at.q[j]) continue;
        this.effort.spend(10 * at.a.length + 100);
        const a2 = at.a.filter((part) => part.held[j]);
        if (!a2.length) continue;
        const supA = sum(a2);
        if (this.isSafe(a2, supA)) continue;
        this.effort.spend(this.size * a2.length + 10 * at.b.length);
        const added = common(a2, at.q);
        if (added[0] < j) continue; // reached from another set
        const b2 = at.b.filter((part) => added.every((i) => part.held[i]));
        if (this.exceeds(supA, sum(b2))) return true;
        const q2 = at.q.slice();
        for (const i of added) q2[i] = 1;
        stack.push({ q: q2, a: a2, b: b2, last: j });
      }
      await rest("Searching what is open", 0, 0);
    }
    return false;
  }
}

function sum(parts) {
  let total = 0;
  for (const part of parts) total += part.weight;
  return total;
}

// ---------------------------------------------------------------- what is possible in a group

/**
 * For each kind of people in a group, given as the set of values they cannot have, how many values they may have; null
 * if the values cannot be given to the people at all. First everybody gets a value (a flow from kinds to values, along
 * augmenting paths). Then somebody may have v instead if whoever has a v can be made up for: if from v, over people who
 * have it and what they may take instead, one comes back to a value of hers.
 */
function possibleCounts(kinds, values) {
  // kinds: [{cannot: Set, people}], values: Map value -> number
  const list = [...values.keys()], left = new Map(values);
  const has = kinds.map(() => new Map());
  const may = kinds.map((kind) => list.filter((v) => !kind.cannot.has(v)));
  const give = (k) => {
    const came = new Map(), waiting = [[k, null]], asked = new Set([k]);
    for (const [taker, gives] of waiting) {
      for (const v of may[taker]) {
        if (came.has(v)) continue;
        came.set(v, [taker, gives]);
        if (left.get(v) > 0) {
          left.set(v, left.get(v) - 1);
          for (let at = v; at !== null; ) {
            const [who, given] = came.get(at);
            has[who].set(at, (has[who].get(at) ?? 0) + 1);
            if (given !== null) has[who].set(given, has[who].get(given) - 1);
            at = given;
          }
          return true;
        }
        has.forEach((held, other) => {
          if (held.get(v) && !asked.has(other)) {
            asked.add(other);
            waiting.push([other, v]);
          }
        });
      }
    }
    return false;
  };
  for (let k = 0; k < kinds.length; k++) {
    let need = kinds[k].people;
    for (const v of may[k]) {
      const number = Math.min(need, left.get(v));
      if (!number) continue;
      has[k].set(v, (has[k].get(v) ?? 0) + number);
      left.set(v, left.get(v) - number);
      need -= number;
    }
    for (; need > 0; need--) if (!give(k)) return null;
  }
  const follows = new Map(list.map((v) => [v, new Set()]));
  kinds.forEach((_, k) => {
    for (const [v, number] of has[k]) if (number) for (const w of may[k]) follows.get(v).add(w);
  });
  const reached = new Map(list.map((v) => {
    const seen = new Set([v]);
    for (const at of seen) for (const w of follows.get(at)) seen.add(w);
    return [v, seen];
  }));
  return kinds.map((_, k) => may[k].filter((v) => [...reached.get(v)].some((w) => has[k].get(w))).length);
}
