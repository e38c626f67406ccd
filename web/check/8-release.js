// ---------------------------------------------------------------- a release as a whole

const LARGEST = 2 ** 31 - 1; // bytes of a file that a browser can hold as one piece
const TEXT_LIMIT = 2 ** 28; // bytes of a text for people
const PICTURES = `the pictures in ${REPORT} were not compared with the data; its words and numbers were`;

/** The files that were dropped: name -> File. */
class Release {
  constructor(files) {
    this.files = files;
    this.held = new Map();
  }

  async bytes(name) {
    if (!this.held.has(name)) {
      const file = this.files.get(name) ?? refuse(`${name} is missing`);
      if (file.size > LARGEST) leaveOpen(`${name} is too large for a browser; 'sordino verify' can check it`);
      try {
        this.held.set(name, new Uint8Array(await file.arrayBuffer()));
      } catch {
        leaveOpen(`${name} cannot be read by this browser`);
      }
    }
    return this.held.get(name);
  }

  async text(name) {
    if ((this.files.get(name)?.size ?? 0) > TEXT_LIMIT) leaveOpen(`${name} is larger than ${bytesInWords(TEXT_LIMIT)}, which is too much to be read`);
    return this.bytes(name);
  }
}

/**
 * What holds of a release: { answer, reason, sentences, manifest, signature }. Nothing that it says is believed; it never
 * throws. key: the text of the publisher's public key, or "" if none is known.
 */
async function checkRelease(files, key = "") {
  const started = performance.now(), release = new Release(files);
  let manifest = null, verdict;
  const failed = (error) => {
    if (error instanceof Refused) return { answer: FAILS, reason: error.message, notes: [] };
    if (error instanceof LeftOpen) return { answer: NOT_CHECKED, reason: error.message, notes: [] };
    // Too much for this browser (its memory, the depth of its stack), or an error of this page: nothing is claimed.
    return { answer: NOT_CHECKED, reason: `this browser could not finish the check (${error?.name ?? "error"}); 'sordino verify' can`, notes: [] };
  };
  let signature = { state: "none" };
  try {
    if (!files.has(MANIFEST)) refuse(`${MANIFEST} is missing`);
    manifest = await readManifest(await release.text(MANIFEST));
    signature = await checkSignature(release, key);
    verdict = await checkAll(release, manifest);
    if (signature.note) verdict.notes = [...verdict.notes, signature.note];
    if (signature.open && verdict.answer !== FAILS) {
      verdict = { ...verdict, answer: NOT_CHECKED, reason: verdict.answer === HOLDS ? signature.open : `${verdict.reason}; ${signature.open}` };
    }
  } catch (error) {
    verdict = failed(error);
  }
  verdict.seconds = (performance.now() - started) / 1000;
  return { ...verdict, manifest, signature, sentences: sentencesOf(verdict, manifest) };
}

async function checkAll(release, manifest) {
  const shape = SHAPES[manifest.shape];
  await checkFiles(release, manifest, shape);
  const page = await checkPage(release, manifest);
  const verdict = await shape.verify(release, manifest);
  if (verdict.answer === FAILS) return verdict;
  const open = page === null ? [] : [page];
  try {
    if (!manifest.inOrder) refuse(`${MANIFEST} promises something in other words than follow from its policy`);
    await checkWords(release, manifest, shape, verdict.seen);
    verdict.notes = [...verdict.notes, PICTURES];
  } catch (error) {
    if (!(error instanceof Refused) || manifest.version === VERSION) throw error;
    open.push(`${error.message}; it was made by sordino ${manifest.version}, whose words sordino ${VERSION} does not know`);
  }
  if (!open.length) return verdict;
  const reasons = verdict.answer === NOT_CHECKED ? [verdict.reason, ...open] : open;
  return { ...verdict, answer: NOT_CHECKED, reason: reasons.join("; ") };
}

const sentence = (reason) => (/[.?]$/.test(reason) ? reason : `${reason}.`);

function sentencesOf(verdict, manifest) {
  if (manifest === null || verdict.answer === FAILS) return [sentence(verdict.reason)];
  const told = verdict.answer === HOLDS ? SHAPES[manifest.shape].found(manifest, verdict) : [sentence(verdict.reason)];
  return [
    ...told,
    `The policy is the release's own, in its ${MANIFEST}: whoever published it chose what is demanded.`,
    ...verdict.notes.map((note) => `Note: ${note}.`),
  ];
}

/** The folder holds exactly the files of the manifest, with the same content. */
async function checkFiles(release, manifest, shape) {
  const needed = shape.files(manifest).sort(byCodePoint), common = [README, REPORT, PAGE];
  const wanted = new Set([...needed, ...common]);
  if (manifest.files.size !== wanted.size || ![...wanted].every((name) => manifest.files.has(name))) {
    refuse(`${MANIFEST} does not list ${needed.join(", ")}, ${README}, ${REPORT} and ${PAGE}`);
  }
  if (manifest.file.includes("/") || !manifest.file.startsWith("data.")) refuse(`${MANIFEST} names a data file that cannot be one`);
  const extra = [...release.files.keys()].filter((name) => !manifest.files.has(name) && name !== MANIFEST && name !== SIGNATURE).sort(byCodePoint);
  if (extra.length) refuse(`there is something that does not belong to the release: ${plainly(extra[0])}`);
  for (const [name, entry] of manifest.files) {
    const file = release.files.get(name);
    if (!file) refuse(`${name} is missing`);
    if (entry.bytes > 2 ** 36) leaveOpen(`${name} is said to be larger than can be checked`);
    const changed = () => refuse(`${name} was changed: it is not the file that the manifest describes`);
    if (file.size !== entry.bytes) changed();
    if ((name === README || name === REPORT) && file.size > TEXT_LIMIT) await release.text(name);
    if (await sha256(await release.bytes(name), `Comparing ${name} with its checksum`) !== entry.sha256) changed();
  }
}

/** The check.html that lies there is this page; null, or what stays open if it is of another version. */
async function checkPage(release, manifest) {
  const content = decoded(await release.bytes(PAGE)) ?? "";
  const [, script = ""] = /<script>\n([^]*)<\/script>/.exec(content) ?? [];
  const frame = content.replace(/(<script>\n)[^]*(<\/script>)/, "$1$2").replace(/script-src 'sha256-[^']*'/, "script-src");
  if (script === OWN_SCRIPT() && (await sha256(utf8.encode(frame), PAGE)) === FRAME) return null;
  if (manifest.version !== VERSION) return `${PAGE} is that of sordino ${manifest.version}, which sordino ${VERSION} does not know`;
  return refuse(`${PAGE} is not the page that sordino ${VERSION} publishes`);
}

/** The text of the script that is running. */
const OWN_SCRIPT = () => document.querySelector("script").textContent.replace(/^\n/, "");

// ---------------------------------------------------------------- signatures (minisign)

const bytesOf = (base64) => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4) return null;
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
};

/** A public key of minisign: the text of its file, or the one line of it that counts. */
function readKey(key) {
  const line = key.trim().split(/\r?\n/).at(-1).trim(), raw = bytesOf(line);
  if (!raw || raw.length !== 42 || raw[0] !== 0x45 || raw[1] !== 0x64) return null;
  return { id: raw.subarray(2, 10), key: raw.subarray(10) };
}

const COMMENTS = [
  /^untrusted comment: (signature from minisign secret key|signature of manifest\.json by its publisher)$/,
  /^trusted comment: (timestamp:[0-9]{1,12}\tfile:manifest\.json(\thashed)?|manifest\.json)$/,
];

/** Whether the manifest is signed, and by the key that was given. */
async function checkSignature(release, given) {
  const wanted = given.trim() !== "";
  if (!release.files.has(SIGNATURE)) {
    if (wanted) refuse(`the manifest is not signed: there is no ${SIGNATURE}`);
    return { state: "none" };
  }
  if (release.files.get(SIGNATURE).size > 4096) refuse(`${SIGNATURE} is not a signature`);
  const lines = (decoded(await release.bytes(SIGNATURE)) ?? "").split("\n");
  const [first, signed, second, sealed] = lines, raw = bytesOf(signed ?? ""), seal = bytesOf(sealed ?? "");
  if (lines.length !== 5 || lines[4] !== "" || !raw || raw.length !== 74 || !seal || seal.length !== 64) refuse(`${SIGNATURE} is not a signature`);
  if (!COMMENTS[0].test(first) || !COMMENTS[1].test(second)) refuse(`${SIGNATURE} says something that has no place in it`);
  const hashed = raw[0] === 0x45 && raw[1] === 0x44;
  if (!hashed && !(raw[0] === 0x45 && raw[1] === 0x64)) refuse(`${SIGNATURE} is not a signature`);
  if (!wanted) return { state: "unknown", note: "the manifest is signed, but no key was stated, so by whom was not checked" };
  const key = readKey(given);
  if (key === null) return { state: "open", open: "the key that was stated is no public key of minisign, so the signature was not checked" };
  if (!sameBytes(key.id, raw.subarray(2, 10))) refuse("the manifest is signed with another key than the one that was stated");
  const manifest = await release.bytes(MANIFEST);
  const signature = raw.subarray(10), comment = utf8.encode(second.slice("trusted comment: ".length));
  const sealedBytes = new Uint8Array([...signature, ...comment]);
  let fits;
  try {
    const own = await crypto.subtle.importKey("raw", key.key, "Ed25519", false, ["verify"]);
    fits = (await crypto.subtle.verify("Ed25519", own, signature, hashed ? blake2b(manifest) : manifest)) &&
      (await crypto.subtle.verify("Ed25519", own, seal, sealedBytes));
  } catch {
    return { state: "open", open: "this browser cannot check signatures (Ed25519); 'sordino verify --key' and minisign can" };
  }
  if (!fits) refuse("the signature of the manifest is not by the key that was stated");
  return { state: "good", note: "the manifest is signed by the key that was stated" };
}

/** BLAKE2b with 64 bytes (RFC 7693), by which minisign hashes what it signs. */
function blake2b(bytes) {
  const MASK = (1n << 64n) - 1n;
  const start = [
    0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
  ];
  const SIGMA = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
  ];
  const turn = (x, n) => ((x >> n) | (x << (64n - n))) & MASK;
  const state = [...start];
  state[0] ^= 0x01010040n; // no key, 64 bytes
  const blocks = Math.max(1, Math.ceil(bytes.length / 128));
  for (let block = 0; block < blocks; block++) {
    const piece = new Uint8Array(128);
    piece.set(bytes.subarray(block * 128, block * 128 + 128));
    const view = new DataView(piece.buffer);
    const words = Array.from({ length: 16 }, (_, k) => view.getBigUint64(k * 8, true));
    const last = block === blocks - 1;
    const v = [...state, ...start];
    v[12] ^= BigInt(last ? bytes.length : (block + 1) * 128);
    if (last) v[14] ^= MASK;
    const mix = (a, b, c, d, x, y) => {
      v[a] = (v[a] + v[b] + x) & MASK; v[d] = turn(v[d] ^ v[a], 32n);
      v[c] = (v[c] + v[d]) & MASK; v[b] = turn(v[b] ^ v[c], 24n);
      v[a] = (v[a] + v[b] + y) & MASK; v[d] = turn(v[d] ^ v[a], 16n);
      v[c] = (v[c] + v[d]) & MASK; v[b] = turn(v[b] ^ v[c], 63n);
    };
    for (let round = 0; round < 12; round++) {
      const s = SIGMA[round % 10];
      for (let k = 0; k < 4; k++) mix(k, 4 + k, 8 + k, 12 + k, words[s[2 * k]], words[s[2 * k + 1]]);
      for (let k = 0; k < 4; k++) mix(k, 4 + ((k + 1) % 4), 8 + ((k + 2) % 4), 12 + ((k + 3) % 4), words[s[8 + 2 * k]], words[s[9 + 2 * k]]);
    }
    for (let k = 0; k < 8; k++) state[k] ^= v[k] ^ v[k + 8];
  }
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((word, k) => out.setBigUint64(k * 8, word, true));
  return new Uint8Array(out.buffer);
}
