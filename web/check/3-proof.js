// ---------------------------------------------------------------- proofs by alibis

const STEPS = 40_000_000_000; // of all searches of one proof together
const PROOF_FORMAT = "sordino-proof/1";
const IN_PARTS = '{"format":"sordino-proof/2",'; // how the proof of millions of records begins

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
    table.marks = []; // for searches: bits of classes
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
  if (sameBytes(bytes.subarray(0, IN_PARTS.length), utf8.encode(IN_PARTS))) {
    leaveOpen("the proof is in parts, which this page cannot check; 'sordino verify' can: pip install sordino");
  }
  let content;
  try {
    content = new Json(bytes).whole();
  } catch (error) {
    if (error instanceof NotJson || error instanceof Twice || error instanceof RangeError) refuse(`${problem}: it is not valid JSON`);
    throw error;
  }
  if (!(content instanceof Map)) refuse(`${problem}: it is not a JSON object`);
  if (!sameBytes(utf8.encode(writeJson(content, null, true)), bytes)) refuse("the proof is written in another way than it should be");
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
    this.holders = new Uint8Array(table.first.length);
    for (const c of table.holders[e]) this.holders[c] = 1;
  }

  async discloses(c) {
    const universe = [...this.table.items[c]].filter((item) => item !== this.e);
    this.size = universe.length;
    const { a, b } = this.partsOf(universe);
    Object.assign(this, { a, b });
    a.least = new Float64Array(a.weight.length);
    for (let i = 0; i < a.weight.length; i++) {
      this.effort.spend(b.weight.length + 20);
      a.least[i] = b.support(a.words.map((word) => word[i]));
      await rest("Searching what is open", 0, 0);
    }
    const limited = this.knowledge !== null && this.knowledge < this.size;
    return limited ? this.stepwise() : this.closed();
  }

  /** The parts of U that classes hold, with how many records hold each: of classes with e, and of the others. */
  partsOf(universe) {
    const { table } = this, number = Math.ceil(universe.length / BITS), classes = table.first.length;
    const marks = Array.from({ length: number }, (_, w) => (table.marks[w] ??= new Int32Array(classes)));
    const touched = (table.touched ??= new Int32Array(classes)), seen = (table.seen ??= new Uint8Array(classes));
    let many = 0;
    universe.forEach((item, place) => {
      const word = marks[Math.floor(place / BITS)], bit = 1 << place % BITS, holders = table.holders[item];
      for (let k = 0; k < holders.length; k++) {
        const other = holders[k];
        if (seen[other] === 0) {
          seen[other] = 1;
          touched[many++] = other;
        }
        word[other] |= bit;
      }
      this.effort.spend(holders.length * 10);
    });
    const sides = [new Parts(number), new Parts(number)];
    for (let k = 0; k < many; k++) {
      const other = touched[k];
      sides[this.holders[other]].add(marks, other, table.weight[other]);
      seen[other] = 0;
    }
    for (const own of marks) for (let k = 0; k < many; k++) own[touched[k]] = 0;
    const [b, a] = sides.map((side) => side.finished());
    return { a, b };
  }

  exceeds(supA, supB) { return exceeds(supA, supA + supB, this.rho); }

  /** Nothing above q, whose A-parts are these, can be above the threshold. */
  isSafe(chosen, supA) {
    let least = Infinity;
    for (const i of chosen) if (this.a.least[i] < least) least = this.a.least[i];
    return !this.exceeds(supA, least);
  }

  async stepwise() {
    const { a, b } = this, stack = [{ inA: a.all, inB: b.all, last: -1, length: 0 }];
    while (stack.length) {
      const at = stack.pop();
      for (let j = at.last + 1; j < this.size; j++) {
        this.effort.spend(at.inA.length + 50);
        const inA = a.holding(at.inA, this.only(j));
        if (!inA.length) continue;
        const supA = a.sum(inA);
        if (this.isSafe(inA, supA)) continue;
        this.effort.spend(at.inB.length);
        const inB = b.holding(at.inB, this.only(j));
        if (this.exceeds(supA, b.sum(inB))) return true;
        if (at.length + 1 < this.knowledge) stack.push({ inA, inB, last: j, length: at.length + 1 });
      }
      await rest("Searching what is open", 0, 0);
    }
    return false;
  }

  async closed() {
    const { a, b } = this, common = a.shared(a.all), start = b.holding(b.all, common);
    if (common.some(Boolean) && this.exceeds(a.sum(a.all), b.sum(start))) return true;
    const stack = [{ q: common, inA: a.all, inB: start, last: -1 }];
    while (stack.length) {
      const at = stack.pop();
      for (let j = at.last + 1; j < this.size; j++) {
        if ((at.q[Math.floor(j / BITS)] >> j % BITS) & 1) continue;
        this.effort.spend(at.inA.length + 50);
        const inA = a.holding(at.inA, this.only(j));
        if (!inA.length) continue;
        const supA = a.sum(inA);
        if (this.isSafe(inA, supA)) continue;
        this.effort.spend(inA.length + at.inB.length);
        const all = a.shared(inA), added = all.map((word, w) => word & ~at.q[w]);
        const w = added.findIndex(Boolean);
        if (w * BITS + 31 - Math.clz32(added[w] & -added[w]) < j) continue; // reached from another set
        const inB = b.holding(at.inB, added);
        if (this.exceeds(supA, b.sum(inB))) return true;
        stack.push({ q: all, inA, inB, last: j });
      }
      await rest("Searching what is open", 0, 0);
    }
    return false;
  }

  /** The set of one place of U, as bits. */
  only(place) {
    const words = new Array(Math.ceil(this.size / BITS)).fill(0);
    words[Math.floor(place / BITS)] = 1 << place % BITS;
    return words;
  }
}

const BITS = 30; // places of U in one number
const TURN = crypto.getRandomValues(new Uint32Array(1))[0] | 1; // of hashes: so that nobody can make data that fall together

/** Distinct parts of U as bits, `words[w][i]` being those of part i; and how many records hold each. */
class Parts {
  constructor(number) {
    this.number = number;
    this.words = Array.from({ length: number }, () => []);
    this.weight = [];
    this.slots = new Int32Array(1 << 10).fill(-1); // which part is where: a hash table with open addresses
  }

  /** One more holder of the part that `marks` has of it. */
  add(marks, holder, weight) {
    const mask = this.slots.length - 1;
    let hash = 0;
    for (let w = 0; w < this.number; w++) hash = Math.imul(hash ^ marks[w][holder], TURN) ^ (hash >>> 15);
    let slot = (hash ^ (hash >>> 16)) & mask;
    for (; this.slots[slot] >= 0; slot = (slot + 1) & mask) {
      const known = this.slots[slot];
      let same = true;
      for (let w = 0; same && w < this.number; w++) same = this.words[w][known] === marks[w][holder];
      if (same) {
        this.weight[known] += weight;
        return;
      }
    }
    this.slots[slot] = this.weight.length;
    for (let w = 0; w < this.number; w++) this.words[w].push(marks[w][holder]);
    this.weight.push(weight);
    if (this.weight.length * 2 > this.slots.length) this.spread();
  }

  /** The hash table in twice the room. */
  spread() {
    const mask = this.slots.length * 2 - 1, slots = new Int32Array(mask + 1).fill(-1);
    for (let part = 0; part < this.weight.length; part++) {
      let hash = 0;
      for (let w = 0; w < this.number; w++) hash = Math.imul(hash ^ this.words[w][part], TURN) ^ (hash >>> 15);
      let slot = (hash ^ (hash >>> 16)) & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = part;
    }
    this.slots = slots;
  }

  finished() {
    this.slots = null;
    this.words = this.words.map((word) => Int32Array.from(word));
    this.weight = Float64Array.from(this.weight);
    this.all = Int32Array.from(this.weight, (_, i) => i);
    return this;
  }

  /** How many records hold all these bits. */
  support(bits) {
    const [word, ...more] = this.words, [wanted, ...others] = bits, { weight } = this;
    let total = 0;
    for (let i = 0; i < weight.length; i++) {
      if ((word[i] & wanted) === wanted && more.every((one, w) => (one[i] & others[w]) === others[w])) total += weight[i];
    }
    return total;
  }

  /** Those of the chosen parts that hold all these bits. */
  holding(chosen, bits) {
    let found = chosen;
    bits.forEach((wanted, w) => {
      if (!wanted) return;
      const word = this.words[w], kept = new Int32Array(found.length);
      let number = 0;
      for (const i of found) if ((word[i] & wanted) === wanted) kept[number++] = i;
      found = kept.slice(0, number);
    });
    return found;
  }

  /** The bits that all chosen parts have. */
  shared(chosen) {
    return this.words.map((word) => {
      let all = -1 >>> 2;
      for (const i of chosen) all &= word[i];
      return chosen.length ? all : 0;
    });
  }

  sum(chosen) {
    let total = 0;
    for (const i of chosen) total += this.weight[i];
    return total;
  }
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
