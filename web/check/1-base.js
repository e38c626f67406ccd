// ---------------------------------------------------------------- what everything else stands on

/** The release is not what it says; the text tells why, in the words of `sordino verify`. */
class Refused extends Error {}

/** Something was not looked at; the text tells what, and what would be needed. */
class LeftOpen extends Error {}

const refuse = (reason) => { throw new Refused(reason); };
const leaveOpen = (reason) => { throw new LeftOpen(reason); };

/** Long work lets the page breathe: `await rest()` costs nothing until a moment has passed. */
const pace = { last: 0, tell: () => {}, stopped: false };
async function rest(what, done, whole) {
  const now = performance.now();
  if (now - pace.last < 60) return;
  pace.last = now;
  pace.tell(what, done, whole);
  await new Promise((go) => setTimeout(go, 0));
  if (pace.stopped) leaveOpen("the check was stopped");
}

// ---------------------------------------------------------------- texts

const utf8 = new TextEncoder();
const strict = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function sameBytes(a, b) {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}

const sameTexts = (a, b) => a.length === b.length && a.every((one, k) => one === b[k]);

/** The text of UTF-8 bytes; null if they are not that. */
function decoded(bytes) {
  try {
    return strict().decode(bytes);
  } catch {
    return null;
  }
}

/** The order of Python and of every proof: by code point, not by UTF-16 unit. */
function byCodePoint(a, b) {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x !== y) {
      const wideX = x >= 0xd800 && x <= 0xdfff, wideY = y >= 0xd800 && y <= 0xdfff;
      return wideX === wideY ? x - y : wideX ? 1 : -1;
    }
  }
  return a.length - b.length;
}

/** Whole numbers in numeric order if all names are such, else by code point: the order in which items are written. */
function vocabulary(names) {
  const list = [...names];
  if (list.length && list.every((name) => /^[0-9]+$/.test(name))) {
    const bare = new Map(list.map((name) => [name, name.replace(/^0+/, "")]));
    return list.sort((a, b) => {
      const x = bare.get(a), y = bare.get(b);
      return x.length - y.length || byCodePoint(x, y) || byCodePoint(a, b);
    });
  }
  return list.sort(byCodePoint);
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const plural = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many ?? one + "s"}`;
const listed = (names) => (names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** A number with so many decimals, ties to the even digit as Python has it. */
function fixed(number, digits) {
  const text = number.toFixed(digits);
  const exact = number.toFixed(Math.min(100, digits + 60));
  const after = exact.slice(exact.indexOf(".") + 1 + digits);
  if (!/^50*$/.test(after)) return text;
  const down = exact.slice(0, exact.length - after.length).replace(/\.$/, "");
  return Number(down.at(-1)) % 2 === 0 ? down : text;
}

const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const stripped = (text) => text.replace(new RegExp(`^${BLANK.source}+|${BLANK.source}+$`, "gu"), "");

/** What a reader takes for the same: without blanks around it and characters that cannot be seen, in one Unicode form. */
const asSeen = (text) =>
  stripped(stripped(text).replace(/[\p{Cc}\p{Cf}\ufe00-\ufe0f]/gu, (char) => (" \t\n\v\f\r".includes(char) ? char : "")).normalize("NFC"));

/** The text as it may be shown: what is not printable is escaped. */
function clean(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]/gu, (char) => {
    const code = char.codePointAt(0);
    if (code === 32) return char;
    const short = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    if (short) return short;
    const hex = code.toString(16);
    return code < 0x100 ? `\\x${hex.padStart(2, "0")}` : code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  });
}

/** The text in plain letters, as a reason quotes what others wrote. */
function plainly(text) {
  return [...text].map((char) => {
    const code = char.codePointAt(0), hex = code.toString(16);
    if (char === "\\") return "\\\\";
    if (char === "'") return "'";
    if (code >= 32 && code < 127) return char;
    const short = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    return short ?? (code < 256 ? `\\x${hex.padStart(2, "0")}` : code < 65536 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`);
  }).join("");
}

/** The text in plain letters and in the quotation marks that Python would choose. */
function inQuotes(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + (mark === "'" ? plainly(text).replaceAll("'", "\\'") : plainly(text)) + mark;
}

function bytesInWords(number) {
  for (const [unit, step] of [["GiB", 2 ** 30], ["MiB", 2 ** 20]]) {
    if (number >= step) return `${grouped(Number((number / step).toPrecision(3)))} ${unit}`;
  }
  return `${grouped(number)} bytes`;
}

// ---------------------------------------------------------------- SHA-256 (FIPS 180-4)

const ROUND = new Int32Array(64), START = new Int32Array(8);
{
  let n = 0;
  for (let p = 2; n < 64; p++) {
    let prime = true;
    for (let d = 2; d * d <= p; d++) if (p % d === 0) prime = false;
    if (!prime) continue;
    if (n < 8) START[n] = (p ** 0.5 % 1) * 2 ** 32;
    ROUND[n++] = (p ** (1 / 3) % 1) * 2 ** 32;
  }
}

class Sha256 {
  constructor() {
    this.state = START.slice();
    this.block = new Uint8Array(64);
    this.filled = 0;
    this.length = 0;
    this.w = new Int32Array(64);
  }

  update(bytes) {
    this.length += bytes.length;
    let at = 0;
    if (this.filled) {
      at = Math.min(64 - this.filled, bytes.length);
      this.block.set(bytes.subarray(0, at), this.filled);
      this.filled += at;
      if (this.filled < 64) return this;
      this.mix(this.block, 0);
      this.filled = 0;
    }
    for (; at + 64 <= bytes.length; at += 64) this.mix(bytes, at);
    this.block.set(bytes.subarray(at));
    this.filled = bytes.length - at;
    return this;
  }

  mix(bytes, at) {
    const w = this.w, s = this.state;
    for (let i = 0; i < 16; i++, at += 4) {
      w[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    }
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15], y = w[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
    }
    let a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    s[0] += a; s[1] += b; s[2] += c; s[3] += d; s[4] += e; s[5] += f; s[6] += g; s[7] += h;
  }

  hex() {
    const bits = this.length * 8;
    const tail = new Uint8Array(((this.filled + 8) >> 6 << 6) + 64 - this.filled);
    tail[0] = 0x80;
    const view = new DataView(tail.buffer);
    view.setUint32(tail.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(tail.length - 4, bits >>> 0);
    this.update(tail);
    return [...this.state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

const PIECE = 1 << 20;
async function sha256(bytes, what) {
  const digest = new Sha256();
  for (let at = 0; at < bytes.length; at += PIECE) {
    digest.update(bytes.subarray(at, at + PIECE));
    await rest(what, at, bytes.length);
  }
  return digest.hex();
}

// ---------------------------------------------------------------- gzip (RFC 1951, 1952)

const BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const FAR = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const FAR_EXTRA = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const CRC = Int32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

class Damaged extends Error {}

/** A Huffman code as a table: for every 15 bits the symbol and the length of its code; null if it is none. */
function huffman(lengths) {
  const count = new Array(16).fill(0);
  for (const length of lengths) count[length]++;
  count[0] = 0;
  let left = 1;
  for (let bits = 1; bits < 16; bits++) {
    left = left * 2 - count[bits];
    if (left < 0) throw new Damaged();
  }
  const used = lengths.reduce((sum, length) => sum + (length > 0), 0);
  if (left > 0 && !(used <= 1)) throw new Damaged();
  const longest = Math.max(1, ...lengths);
  const table = new Int32Array(1 << longest).fill(-1);
  const next = [0, 0];
  for (let bits = 1; bits < 15; bits++) next[bits + 1] = (next[bits] + count[bits]) << 1;
  lengths.forEach((length, symbol) => {
    if (!length) return;
    let code = next[length]++, turned = 0;
    for (let k = 0; k < length; k++, code >>= 1) turned = (turned << 1) | (code & 1);
    for (let place = turned; place < table.length; place += 1 << length) table[place] = (symbol << 4) | length;
  });
  return { table, longest };
}

/**
 * What one bare gzip member holds. Refused if there is anything beside it: a name, a comment or a time in the head, a
 * second part, bytes at the end. The browser's own unzipping is not used, because browsers differ in what they pass
 * over, and none says where the data end.
 */
async function unzipped(raw, name, limit) {
  const head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0];
  if (!head.every((byte, k) => raw[k] === byte)) {
    refuse(`${name}: not plain gzip, its head holds a name, a comment or a time`);
  }
  try {
    const { out, end } = await inflated(raw, 10, name, limit);
    let crc = -1;
    for (let k = 0; k < out.length; k++) crc = CRC[(crc ^ out[k]) & 255] ^ (crc >>> 8);
    if (end + 8 > raw.length) throw new Damaged();
    const tail = new DataView(raw.buffer, raw.byteOffset + end, 8);
    if (tail.getUint32(0, true) !== ~crc >>> 0 || tail.getUint32(4, true) !== out.length >>> 0) throw new Damaged();
    if (end + 8 < raw.length) refuse(`${name}: something stands after the end of the gzip data`);
    return out;
  } catch (error) {
    if (error instanceof Damaged) refuse(`${name}: the gzip data are damaged`);
    throw error;
  }
}

async function inflated(raw, at, name, limit) {
  let out = new Uint8Array(Math.min(limit, Math.max(1024, raw.length * 4)));
  let size = 0, hold = 0, held = 0;
  const room = (wanted) => {
    if (size + wanted > limit) leaveOpen(`${name}: more than ${bytesInWords(limit)} when unzipped, which is too much`);
    if (size + wanted <= out.length) return;
    const larger = new Uint8Array(Math.min(limit, Math.max(out.length * 2, size + wanted)));
    larger.set(out);
    out = larger;
  };
  const bits = (wanted) => {
    while (held < wanted) {
      if (at >= raw.length) throw new Damaged();
      hold |= raw[at++] << held;
      held += 8;
    }
    const value = hold & ((1 << wanted) - 1);
    hold >>>= wanted;
    held -= wanted;
    return value;
  };
  const symbol = ({ table, longest }) => {
    while (held < longest && at < raw.length) {
      hold |= raw[at++] << held;
      held += 8;
    }
    const entry = table[hold & ((1 << longest) - 1)];
    const length = entry & 15;
    if (entry < 0 || length > held) throw new Damaged();
    hold >>>= length;
    held -= length;
    return entry >> 4;
  };
  const plain = () => {
    at -= held >> 3; // whole bytes that were read ahead
    hold = held = 0;
    if (at + 4 > raw.length) throw new Damaged();
    const length = raw[at] | (raw[at + 1] << 8);
    if ((length ^ 0xffff) !== (raw[at + 2] | (raw[at + 3] << 8)) || at + 4 + length > raw.length) throw new Damaged();
    room(length);
    out.set(raw.subarray(at + 4, at + 4 + length), size);
    size += length;
    at += 4 + length;
  };
  const dynamic = () => {
    const literals = bits(5) + 257, distances = bits(5) + 1, codes = bits(4) + 4;
    if (literals > 286 || distances > 30) throw new Damaged();
    const short = new Array(19).fill(0);
    for (let k = 0; k < codes; k++) short[ORDER[k]] = bits(3);
    const table = huffman(short), lengths = [];
    while (lengths.length < literals + distances) {
      const code = symbol(table);
      if (code < 16) {
        lengths.push(code);
      } else {
        if (code === 16 && !lengths.length) throw new Damaged();
        const value = code === 16 ? lengths.at(-1) : 0;
        let times = code === 16 ? 3 + bits(2) : code === 17 ? 3 + bits(3) : 11 + bits(7);
        while (times--) lengths.push(value);
      }
    }
    if (lengths.length > literals + distances || lengths[256] === 0) throw new Damaged();
    return [huffman(lengths.slice(0, literals)), huffman(lengths.slice(literals))];
  };
  const usual = Array.from({ length: 288 }, (_, k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8));
  for (let last = false; !last; ) {
    last = bits(1) === 1;
    const kind = bits(2);
    if (kind === 0) {
      plain();
      continue;
    }
    if (kind === 3) throw new Damaged();
    const [literals, distances] = kind === 1 ? [huffman(usual), huffman(new Array(30).fill(5).concat([5, 5]))] : dynamic();
    for (let steps = 0; ; steps++) {
      if ((steps & 0x3fff) === 0) await rest(`Unzipping ${name}`, at, raw.length);
      const code = symbol(literals);
      if (code < 256) {
        if (size === out.length || size >= limit) room(1);
        out[size++] = code;
        continue;
      }
      if (code === 256) break;
      if (code > 285) throw new Damaged();
      const length = BASE[code - 257] + bits(EXTRA[code - 257]);
      const far = symbol(distances);
      if (far > 29) throw new Damaged();
      const distance = FAR[far] + bits(FAR_EXTRA[far]);
      if (distance > size) throw new Damaged();
      room(length);
      for (let k = 0; k < length; k++, size++) out[size] = out[size - distance];
    }
  }
  return { out: out.subarray(0, size), end: at - (held >> 3) };
}

// ---------------------------------------------------------------- JSON, strictly

/** A number that is written with a point or an exponent: no whole number, and never equal to one. */
class Real {
  constructor(text) { this.text = text; }
}

class NotJson extends Error {}
class Twice extends Error {}
const DEEPEST = 1100; // levels
const DIGITS = 4300; // of a whole number

/**
 * A reader of JSON. Objects become Maps, so that names keep their order and "10" is a name like any other; whole
 * numbers beyond 2^53 become BigInts; a name that stands twice in one object is an error, and so is everything that
 * RFC 8259 does not allow.
 */
class Json {
  constructor(bytes, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.depth = 0;
    this.decoder = strict();
  }

  /** The one value that is there. */
  whole() {
    const value = this.value();
    this.blanks();
    if (this.at < this.end) throw new NotJson();
    return value;
  }

  blanks() {
    const { bytes, end } = this;
    while (this.at < end) {
      const byte = bytes[this.at];
      if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return;
      this.at++;
    }
  }

  value() {
    this.blanks();
    if (this.at >= this.end) throw new NotJson();
    const byte = this.bytes[this.at];
    if (byte === 0x22) return this.text();
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return this.number();
    if (byte === 0x5b || byte === 0x7b) {
      if (++this.depth > DEEPEST) throw new NotJson();
      const inside = byte === 0x5b ? this.list() : this.object();
      this.depth--;
      return inside;
    }
    for (const [word, value] of [["true", true], ["false", false], ["null", null]]) {
      if ([...word].every((char, k) => this.at + k < this.end && this.bytes[this.at + k] === char.charCodeAt(0))) {
        this.at += word.length;
        return value;
      }
    }
    throw new NotJson();
  }

  list() {
    const found = [];
    this.at++;
    this.blanks();
    if (this.bytes[this.at] === 0x5d && this.at < this.end) {
      this.at++;
      return found;
    }
    for (;;) {
      found.push(this.value());
      this.blanks();
      const byte = this.at < this.end ? this.bytes[this.at++] : 0;
      if (byte === 0x5d) return found;
      if (byte !== 0x2c) throw new NotJson();
    }
  }

  object() {
    const found = new Map();
    let twice = false;
    this.at++;
    this.blanks();
    if (this.bytes[this.at] === 0x7d && this.at < this.end) {
      this.at++;
      return found;
    }
    for (;;) {
      this.blanks();
      if (this.bytes[this.at] !== 0x22 || this.at >= this.end) throw new NotJson();
      const name = this.text();
      this.blanks();
      if (this.bytes[this.at++] !== 0x3a) throw new NotJson();
      twice ||= found.has(name);
      found.set(name, this.value());
      this.blanks();
      const byte = this.at < this.end ? this.bytes[this.at++] : 0;
      if (byte === 0x7d) break;
      if (byte !== 0x2c) throw new NotJson();
    }
    if (twice) throw new Twice();
    return found;
  }

  text() {
    const { bytes, end } = this;
    const start = ++this.at;
    let plain = true;
    let at = start;
    for (; ; at++) {
      if (at >= end || bytes[at] < 32) throw new NotJson();
      if (bytes[at] === 0x22) break;
      if (bytes[at] === 0x5c) {
        plain = false;
        at++;
      }
    }
    this.at = at + 1;
    const raw = bytes.subarray(start, at);
    try {
      return plain ? this.decoder.decode(raw) : unescaped(this.decoder.decode(raw));
    } catch {
      throw new NotJson();
    }
  }

  number() {
    const { bytes, end } = this;
    const start = this.at;
    let at = start, value = 0;
    const minus = bytes[at] === 0x2d;
    if (minus) at++;
    const first = at;
    while (at < end && bytes[at] >= 0x30 && bytes[at] <= 0x39) value = value * 10 + bytes[at++] - 0x30;
    const digits = at - first;
    if (!digits || (digits > 1 && bytes[first] === 0x30)) throw new NotJson();
    let whole = true;
    const more = () => {
      whole = false;
      const from = at;
      while (at < end && bytes[at] >= 0x30 && bytes[at] <= 0x39) at++;
      if (at === from) throw new NotJson();
    };
    if (at < end && bytes[at] === 0x2e) {
      at++;
      more();
    }
    if (at < end && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
      at++;
      if (at < end && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at++;
      more();
    }
    this.at = at;
    if (whole && digits < 16) return minus && value ? -value : value;
    const text = this.decoder.decode(bytes.subarray(start, at));
    if (!whole) return new Real(text);
    if (digits > DIGITS) throw new NotJson();
    const exact = BigInt(text);
    return exact >= -9007199254740991n && exact <= 9007199254740991n ? Number(exact) : exact;
  }
}

function unescaped(raw) {
  return raw.replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (_, code) => {
    if (code.length === 5) return String.fromCharCode(parseInt(code.slice(1), 16));
    const char = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[code];
    if (char === undefined) throw new NotJson();
    return char;
  });
}

/** The content of a JSON file. */
function readJson(bytes, name) {
  try {
    return new Json(bytes).whole();
  } catch (error) {
    if (error instanceof Twice) refuse(`${name} says something twice`);
    if (error instanceof NotJson || error instanceof RangeError) refuse(`${name} is not valid JSON`);
    throw error;
  }
}

/** JSON as Python's json.dumps writes it: with an indent or without any blank, all in ASCII or not. */
function writeJson(value, indent = null, ascii = false, level = 0) {
  if (typeof value === "string") return quoted(value, ascii);
  if (value instanceof Real) return value.text;
  if (value === null || typeof value !== "object") return String(value);
  const isList = Array.isArray(value);
  if (isList && indent === null && value.every((one) => typeof one === "number")) return `[${value.join(",")}]`;
  const inside = isList
    ? value.map((one) => writeJson(one, indent, ascii, level + 1))
    : [...value].map(([name, one]) => `${quoted(name, ascii)}:${indent === null ? "" : " "}${writeJson(one, indent, ascii, level + 1)}`);
  const [open, close] = isList ? "[]" : "{}";
  if (!inside.length) return open + close;
  if (indent === null) return open + inside.join(",") + close;
  const line = "\n" + " ".repeat(indent * (level + 1));
  return open + line + inside.join("," + line) + "\n" + " ".repeat(indent * level) + close;
}

function quoted(text, ascii = false) {
  const escaped = text.replace(/["\\\x00-\x1f]/g, (char) => {
    const short = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\b": "\\b" }[char];
    return short ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `"${ascii ? escaped.replace(/[\x7f-\uffff]/g, asciiOf) : escaped}"`;
}

const asciiOf = (unit) => (unit === "\x7f" ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

// ---------------------------------------------------------------- exact numbers

const MOST_DIGITS = 10n ** 60n;

/** An exact number: num / den, in lowest terms, den above 0. */
class Ratio {
  constructor(num, den = 1n) {
    if (den < 0n) [num, den] = [-num, -den];
    let a = num < 0n ? -num : num, b = den;
    while (b) [a, b] = [b, a % b];
    this.num = a ? num / a : 0n;
    this.den = a ? den / a : 1n;
  }

  /** The number that a text of a manifest writes; null if it is none, or not written as releases write it. */
  static read(text) {
    const number = Ratio.written(text);
    return number === null || number.den >= MOST_DIGITS || (number.num < 0n ? -number.num : number.num) >= MOST_DIGITS ? null : number;
  }

  /** Why a text is not read as a number. */
  static whyNot(text) {
    if (text.length > 150) return "too long for a number";
    return Ratio.written(text) === null ? 'not a number: write it like "0.3", "1/3" or "30%"' : "a number of too many digits";
  }

  static written(text) {
    if (typeof text !== "string" || text.length > 150) return null;
    const ratio = /^(-?\d+)\/(\d+)$/.exec(text), decimal = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
    if (ratio && !/^0+$/.test(ratio[2])) return new Ratio(BigInt(ratio[1]), BigInt(ratio[2]));
    if (!decimal) return null;
    const digits = decimal[3] ?? "";
    const whole = BigInt(decimal[2] + digits);
    return new Ratio(decimal[1] ? -whole : whole, 10n ** BigInt(digits.length));
  }

  plus(other) { return new Ratio(this.num * other.den + other.num * this.den, this.den * other.den); }
  minus(other) { return this.plus(new Ratio(-other.num, other.den)); }
  times(other) { return new Ratio(this.num * other.num, this.den * other.den); }
  over(other) { return new Ratio(this.num * other.den, this.den * other.num); }
  compare(other) {
    const d = this.num * other.den - other.num * this.den;
    return d < 0n ? -1 : d > 0n ? 1 : 0;
  }
  get isShare() { return this.num > 0n && this.num < this.den; }
  toNumber() {
    const scale = 10n ** 30n;
    return Number((this.num * scale) / this.den) / 1e30;
  }

  /** A decimal where it ends within six digits, else a fraction. */
  toString() {
    for (let digits = 0; digits < 7; digits++) {
      const scale = 10n ** BigInt(digits);
      if (scale % this.den) continue;
      const scaled = (this.num * scale) / this.den, size = scaled < 0n ? -scaled : scaled;
      const text = digits ? `${size / scale}.${String(size % scale).padStart(digits, "0")}` : String(size);
      return (scaled < 0n ? "-" : "") + text;
    }
    return `${this.num}/${this.den}`;
  }

  /** In percent, or as a fraction where the percentage does not end. */
  percent() {
    const text = this.times(new Ratio(100n)).toString();
    return text.includes("/") ? (this.den === 1n ? String(this.num) : `${this.num}/${this.den}`) : `${text}%`;
  }

  /** The largest fraction that is not above this one, and whose denominator is at most `limit`. */
  floor(limit) {
    if (this.den <= BigInt(limit)) return this;
    let best = new Ratio(0n);
    for (let den = 1n; den <= BigInt(limit); den++) {
      const num = (this.num * den) / this.den;
      if (num * best.den > best.num * den) best = new Ratio(num, den);
    }
    return best;
  }
}

/** Whether part / whole is above the ratio, exactly: in plain numbers as far as these are exact. */
function exceeds(part, whole, ratio) {
  ratio.n ??= Number(ratio.num);
  ratio.d ??= Number(ratio.den);
  const left = part * ratio.d, right = whole * ratio.n;
  if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER) return left > right;
  return BigInt(part) * ratio.den > BigInt(whole) * ratio.num;
}
