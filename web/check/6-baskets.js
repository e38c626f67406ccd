// ---------------------------------------------------------------- the shapes of release: baskets
// A shape: read and entries (its part of the manifest, understood and written again), guaranteed, notGuaranteed, about,
// aboutPolicy and aboutCheck (its words), files (what it publishes), verify (answer, reason, notes, and what the report
// shows), found (a verdict that holds, in sentences), recipient and publisher (who can check what). Adding a shape: one
// such object, and its name in SHAPES.

const SHAPES = {};
const HOLDS = "holds", FAILS = "fails", NOT_CHECKED = "not checked";
const took = (verdict) => `It took ${fixed(verdict.seconds, 1)} s.`;
const PUBLISHERS_WORD =
  "What was done to the data before, by which method, and how they were put in order: nothing in the folder can prove it.";

/** What there is to be said of published records besides: notes, and what the report shows. */
const besides = (baskets, ...notes) => ({ notes: [...notes, ...baskets.notes], seen: basketsSeen(baskets) });

/** What the proof shows. What it leaves open does not spare the rest of the folder from being looked at. */
async function proved(...asked) {
  try {
    return { answer: HOLDS, reason: "proved", ...(await checkProof(...asked)) };
  } catch (error) {
    if (!(error instanceof LeftOpen)) throw error;
    return { answer: NOT_CHECKED, reason: error.message, served: 0, searched: 0 };
  }
}

SHAPES.inference = {
  read: readBasketManifest,
  entries: basketEntries,
  guaranteed: basketPromise,
  notGuaranteed: basketLimits,
  about: (manifest) => [aboutBaskets(manifest)],
  aboutPolicy: () => ABOUT_BASKET_POLICY,
  aboutCheck: () => [
    `You need not trust whoever made this folder: the proof can be checked by a part of sordino ${OURS}. In this folder, run`,
    `${COMPARES}, and checks ${PROOF} against the policy.`,
    TRUE,
  ],
  files: (manifest) => [manifest.file, PROOF],

  async verify(release, manifest) {
    const baskets = await checkedRecords(release, manifest);
    const { policy } = manifest;
    const thresholds = thresholdsOf(policy, (name) => baskets.support(name), baskets.length);
    checkThresholds(manifest, thresholds);
    const shown = await proved(release, baskets, comparable(thresholds, baskets.length), policy.knowledge);
    return { ...shown, items: thresholds.size, ...besides(baskets, ...absentNote(policy, baskets)) };
  },

  found(manifest, verdict) {
    const items = verdict.items ? plural(verdict.items, "sensitive item") : "no sensitive item is left";
    return [
      "no sensitive item can be inferred above its threshold.",
      `${plural(manifest.records, "record")}, ${items}; someone who knows ${adversary(manifest.policy)} cannot infer one with more than ${allowed(manifest.policy)} confidence.`,
      `${readAs(manifest.form)} The proof was checked against them. Entries (equal records taken once): ${grouped(verdict.served)} shown by alibis, ${grouped(verdict.searched)} by our own search. ${took(verdict)}`,
    ];
  },

  recipient: ["The policy in the manifest, for every person and everything that may be known: the proof is checked against the data."],
  publisher: [PUBLISHERS_WORD],
};

// -------- promises that the published file alone cannot prove

const NO_CHOICES =
  "what people chose was not given, so what is promised about it was not checked; it needs --policy FILE (or --choices FILE) and --original DATA";
const AS_PUBLISHED =
  "the published items of a record, and only those, were taken to be what may be known of a person, and nothing was found; what is promised is about the original records, and needs --original DATA";
const NO_ORIGINAL =
  "what is promised is about those who know items of the original records, and was not checked; it needs --original DATA";
const DRAWS = 2_000_000; // adversaries, of all lengths together

/** n of the sampled assurance, judged in its first round. */
const sampleSize = ({ epsilon, delta }) =>
  Math.ceil(Math.log(new Ratio(2n).over(delta).toNumber()) / new Ratio(2n).times(epsilon).times(epsilon).toNumber());
const proven = ({ epsilon }) => -Math.expm1(-2 * epsilon.toNumber() ** 2);

function whichOfPeople(policy) {
  const count = policy.sensitive.length;
  const common = !count ? "" : count === 1 ? "the sensitive item" : `any of the ${grouped(count)} sensitive items`;
  if (!policy.personal) return common || "any sensitive item";
  const own = "an item that this person chose as sensitive";
  return common ? `${own}, or ${common} if the person did not opt out of it` : own;
}

SHAPES.promised = {
  read(document, common) {
    const plain = readBasketManifest(new Map(document).set("thresholds", null), common);
    const policy = field(document, "policy"), stated = field(policy, "assurance"), personal = field(policy, "personal");
    if (typeof personal !== "boolean") malformed();
    const assurance = maybe(stated, (sure) => {
      const most = field(sure, "max_knowledge");
      const read = {
        epsilon: threshold(field(sure, "epsilon"), "epsilon of the assurance"),
        delta: threshold(field(sure, "delta"), "delta of the assurance"),
        maxKnowledge: most,
      };
      if (!["number", "bigint"].includes(typeof most) || most < 1) problem("max_knowledge of the assurance must be a whole number of items, 1 or more");
      return read;
    });
    return { ...plain, policy: { ...plain.policy, personal, assurance } };
  },

  entries(manifest) {
    const entries = basketEntries({ ...manifest, thresholds: null });
    const { personal, assurance } = manifest.policy;
    const policy = entries.get("policy");
    policy.set("personal", personal);
    policy.set("assurance", assurance && object({
      epsilon: String(assurance.epsilon), delta: String(assurance.delta), max_knowledge: assurance.maxKnowledge,
    }));
    return entries;
  },

  guaranteed(policy) {
    const what = whichOfPeople(policy), sure = policy.assurance;
    if (!sure) {
      return [
        `Someone who knows ${adversary(policy)} cannot infer from this file that the person also has ${what} with a confidence above ${allowed(policy)}. What is known of a person may be items that were deleted here.`,
        CONFIDENCE,
        "This was checked exactly, without sampling, for every person, against the original records. It cannot be checked from this file alone, because who chose what is not published.",
      ];
    }
    const most = mostKnown(policy);
    const lengths = most === 1 ? "1 item" : `1, 2, ... up to ${grouped(most)} items`;
    const rest_ = new Ratio(1n).minus(sure.delta).percent();
    return [
      `This guarantee is SAMPLED, not complete. Of all people who know ${lengths} of a person's original record, for each number of items less than ${sure.epsilon.percent()} can infer from this file that the person also has ${what} with a confidence above ${allowed(policy)}; and this is ${rest_} certain. Some of them may be able to: no single person is promised anything.`,
      CONFIDENCE,
      `For this at least ${grouped(sampleSize(sure))} such people were drawn at random for each number of items when the file was made, and none of those drawn could; they bear out that less than ${fixed(proven(sure) * 100, 3)}% can.`,
    ];
  },

  notGuaranteed: (policy) => [
    ...(policy.personal ? ["What a person did not choose, and is not sensitive for all, is not protected for that person."] : []),
    ...basketLimits(policy),
  ],
  about: SHAPES.inference.about,
  aboutPolicy: ({ policy }) =>
    `The items that are sensitive for all, and the thresholds, are listed in ${MANIFEST}, under "policy".` +
    (policy.personal ? " What single persons chose besides, or chose not to, is nobody's business and is not published." : ""),

  aboutCheck({ policy }) {
    const sure = policy.assurance;
    const given = policy.personal ? " --policy FILE" : "", lacking = policy.personal ? "the original data and the choices" : "the original data";
    const checked = sure ? "draws people of its own from the original data, as the policy says," : "examines everything that may be known of each person";
    return [
      "That the files are whole can be checked by everybody. In this folder, run",
      `${COMPARES}, and ends with exit code 3, because what is guaranteed cannot be checked without ${lacking}. Who has these runs: sordino verify . --original DATA${given}, which ${checked} with a part of sordino ${OURS}.`,
      sure
        ? `the draw of the check itself shows, ${new Ratio(1n).minus(sure.delta).percent()} certain, that less than ${sure.epsilon.percent()} of such people can infer something`
        : TRUE,
    ];
  },
  files: (manifest) => [manifest.file],

  /** As much as can be looked at without the choices and the original records. */
  async verify(release, manifest) {
    const baskets = await checkedRecords(release, manifest);
    const { policy } = manifest;
    const verdict = (answer, reason, ...notes) => ({ answer, reason, items: policy.sensitive.length, served: 0, searched: 0, ...besides(baskets, ...notes) });
    if (policy.personal) return verdict(NOT_CHECKED, NO_CHOICES);
    const thresholds = comparable(thresholdsOf(policy, (name) => baskets.support(name), baskets.length), baskets.length);
    const table = await Classes.of(baskets);
    if (!policy.assurance) {
      const effort = new Effort(STEPS, "the search for what can be inferred about people who chose for themselves");
      for (const [item, rho] of thresholds) {
        const e = table.codeOf.get(item), search = new OpenSearch(table, e, rho, mostKnown(policy), effort);
        for (const c of table.holders[e].filter((one) => table.items[one].length > 1)) {
          if (await search.discloses(c)) return verdict(FAILS, `part of record ${table.first[c]} discloses something to the harm of somebody who minds it`);
        }
      }
      return verdict(NOT_CHECKED, AS_PUBLISHED);
    }
    const drawn = await drawAdversaries(baskets, table, thresholds, policy);
    const [all, able] = drawn.reduce(([n, k], [m, j]) => [n + m, k + j], [0, 0]);
    const error = policy.assurance.delta.toNumber() / Math.max(drawn.length, 1);
    if (drawn.some(([n, k]) => k && chanceOfAsMany(n, k, proven(policy.assurance)) <= error)) {
      return verdict(FAILS, `of ${grouped(all)} adversaries drawn by the verifier, ${grouped(able)} can infer something, more than was promised`);
    }
    return verdict(NOT_CHECKED, NO_ORIGINAL, `of ${grouped(all)} adversaries drawn from the published records, ${able || "none"} can infer something`);
  },

  found: () => [],
  recipient: [
    "That the folder is whole, and holds and says nothing else.",
    "As far as published records tell, that nothing can be inferred beyond the promise (of sampled promises, by a draw).",
  ],
  publisher: [
    "What people chose, and what is promised about it: who chose what is not published.",
    "What somebody can infer who knows items that were deleted: that needs the original records. Whoever has both runs sordino verify with --original and --policy.",
    PUBLISHERS_WORD,
  ],
};

/** By length: how many adversaries were drawn from the published records, and how many of them can infer something. */
async function drawAdversaries(baskets, table, thresholds, policy) {
  const number = sampleSize(policy.assurance);
  const longest = Math.min(Number(mostKnown(policy)), baskets.records.reduce((most, record) => Math.max(most, record.length), 0));
  if (number * longest > DRAWS) leaveOpen(`the policy asks for ${grouped(number)} adversaries of each length, more than are drawn (${grouped(DRAWS)} in all)`);
  const codes = new Map([...thresholds].map(([name, rho]) => [table.codeOf.get(name), rho]));
  const records = table.classNamed.length;
  const classOf = [];
  const byKey = new Map(table.items.map((items, c) => [items.join(), c]));
  const moved = Int32Array.from(baskets.names, (name) => table.codeOf.get(name));
  for (const record of baskets.records) classOf.push(byKey.get(record.map((code) => moved[code]).sort().join()));
  const lot = (below) => Math.floor(Math.random() * below);
  const found = [];
  for (let size = 1; size <= longest; size++) {
    const able = [];
    for (let u = 0; u < records; u++) if (table.items[classOf[u]].length >= size) able.push(classOf[u]);
    let unsafe = 0;
    for (let k = 0; k < number; k++) {
      const own = [...table.items[able[lot(able.length)]]];
      for (let j = 0; j < size; j++) {
        const other = j + lot(own.length - j);
        [own[j], own[other]] = [own[other], own[j]];
      }
      const known = own.slice(0, size);
      const rarest = known.reduce((a, b) => (table.holders[b].length < table.holders[a].length ? b : a));
      let total = 0;
      const beside = new Map();
      for (const c of table.holders[rarest]) {
        if (!known.every((item) => table.has(c, item))) continue;
        total += table.weight[c];
        for (const item of table.items[c]) if (codes.has(item)) beside.set(item, (beside.get(item) ?? 0) + table.weight[c]);
      }
      if ([...beside].some(([item, n]) => !known.includes(item) && exceeds(n, total, codes.get(item)))) unsafe++;
      await rest("Drawing adversaries", found.length * number + k, number * longest);
    }
    found.push([number, unsafe]);
  }
  return found;
}

/** The probability of at least so many unsafe ones among those drawn, if this share of all is unsafe. */
function chanceOfAsMany(drawn, unsafe, share) {
  let ways = 0, fewer = 0; // the logarithm of "drawn over k"
  for (let k = 0; k < unsafe; k++) {
    fewer += Math.exp(ways + k * Math.log(share) + (drawn - k) * Math.log1p(-share));
    ways += Math.log(drawn - k) - Math.log(k + 1);
  }
  return Math.max(0, 1 - fewer);
}

// -------- releases in groups

/** groups.json.gz: which record is in which group, and what is told of each group. */
async function readGroupsFile(release, records, key) {
  const bytes = await unzipped(await release.bytes(GROUPS), GROUPS, 2 ** 26 + 2 ** 10 * records);
  const document = readJson(bytes, GROUPS);
  if (!(document instanceof Map) || document.get("format") !== "sordino-groups/1") refuse(`${GROUPS} is not of the format sordino-groups/1`);
  if (document.size !== 3 || !["format", "group", key].every((name) => document.has(name))) refuse(`${GROUPS} says something that has no place in it`);
  const told = document.get(key), group = document.get("group");
  if (!Array.isArray(told)) refuse(`${GROUPS} has no list '${key}'`);
  return { bytes, document, told, group };
}

/** The group of every record; called once it is known what is told of each group. */
function groupNumbers({ group, told }, records) {
  if (!Array.isArray(group)) refuse(`${GROUPS} has no list 'group'`);
  if (group.length !== records || !group.every((g) => typeof g === "number" || typeof g === "bigint")) refuse(`${GROUPS} does not name a group for each record`);
  if (group.some((g) => g < 0 || g >= told.length)) refuse(`${GROUPS} names a group that is not described`);
  return group;
}

/** Groups are numbered by their first records, each has some, and the file tells them in one way only. */
function checkGroups({ bytes, group, told }, key, canonical) {
  let next = 0;
  for (const g of group) {
    if (g > next) next = Infinity;
    else if (g === next) next++;
  }
  const again_ = object({ format: "sordino-groups/1", group, [key]: canonical });
  if (next !== told.length || !sameBytes(utf8.encode(writeJson(again_)), bytes)) {
    refuse(`${GROUPS} holds more than the groups of the records, or tells them in another order`);
  }
}

SHAPES.permuted = {
  ...SHAPES.inference,
  guaranteed: (policy) => [
    `Someone who knows any NON-SENSITIVE items of a person cannot infer from this folder that the person also has ${which(policy)} with a confidence above ${allowed(policy)}.`,
    "Confidence means: the mean, over all records that hold what that someone knows, of the share of records in the record's group that have the sensitive item.",
    `This is exact, without rounding or sampling, for every group; ${GROUPS} is the evidence.`,
  ],
  notGuaranteed: (policy) => [
    "Against someone who knows a SENSITIVE item of a person nothing is promised: other sensitive items of the same group may then become likelier than the threshold. This is weaker than what sordino's other methods promise.",
    ...basketLimits(policy).slice(policy.knowledge === null ? 0 : 1),
  ],
  about: (manifest) => [
    aboutBaskets(manifest, "the sensitive items were taken out of the records."),
    `${GROUPS} says which records belong together, and how many records of each group have which sensitive items, but not which records these are.`,
  ],
  aboutCheck: () => [
    `You need not trust whoever made this folder: the groups can be checked by a part of sordino ${OURS}. In this folder, run`,
    `${COMPARES}, and checks every group of ${GROUPS} against the policy.`,
    TRUE,
  ],
  files: (manifest) => [manifest.file, GROUPS],

  async verify(release, manifest) {
    const baskets = await checkedRecords(release, manifest);
    const { policy } = manifest, secret = new Set(policy.sensitive);
    const file = await readGroupsFile(release, baskets.length, "held");
    for (const held of file.told) {
      const counts = held instanceof Map ? [...held.values()] : [null];
      if (!counts.every((n) => (typeof n === "number" || typeof n === "bigint") && n > 0)) refuse(`${GROUPS} does not say how many records of a group have which items`);
    }
    const group = groupNumbers(file, baskets.length);
    const size = file.told.map(() => 0), total = new Map();
    for (const g of group) size[g]++;
    if (size.includes(0)) refuse("the groups of the records are not those that are described");
    if (file.told.some((held, g) => [...held.values()].some((n) => n > size[g]))) refuse("a group has more sensitive items of a kind than records");
    checkGroups(file, "held", file.told.map((held) => new Map([...held].sort((a, b) => byCodePoint(a[0], b[0])))));
    if (baskets.names.some((name) => secret.has(name))) refuse("a record of the data holds a sensitive item");
    for (const held of file.told) {
      for (const [name, count] of held) {
        if (!secret.has(name)) refuse(`${GROUPS} tells of an item that is not sensitive in the policy`);
        total.set(name, (total.get(name) ?? 0n) + BigInt(count));
      }
    }
    const thresholds = thresholdsOf(policy, (name) => total.get(name) ?? 0n, baskets.length);
    checkThresholds(manifest, thresholds);
    let searched = 0;
    file.told.forEach((held, g) => {
      for (const [name, count] of held) {
        searched++;
        const rho = thresholds.get(name);
        if (BigInt(count) * rho.den > rho.num * BigInt(size[g])) refuse(`in group ${g}, ${grouped(count)} of ${grouped(size[g])} records have '${name}', which is too many`);
      }
    });
    const gone = policy.sensitive.length - total.size, notes = [];
    if (gone) notes.push(`${gone === 1 ? "1 sensitive item of the policy is" : `${grouped(gone)} sensitive items of the policy are`} in no group, so nothing can be inferred about it`);
    return { answer: HOLDS, reason: "proved", items: total.size, served: 0, searched, ...besides(baskets, ...notes) };
  },

  found: (manifest, verdict) => [
    "who knows only non-sensitive items cannot infer a sensitive one above its threshold.",
    `${plural(manifest.records, "record")}, ${plural(verdict.items, "sensitive item")}. Nothing is promised against someone who knows a sensitive item of the person.`,
    `${readAs(manifest.form)} All ${grouped(verdict.searched)} numbers of sensitive items in groups were checked. ${took(verdict)}`,
  ],
  recipient: ["The share of every sensitive item in every group, against the policy in the manifest."],
  publisher: ["That the numbers of sensitive items in groups are those of the people in them.", PUBLISHERS_WORD],
};

/** hierarchy.json: nested objects {"name", "children"}; nodes in preorder. */
function readHierarchy(bytes, sensitive) {
  const unread = (why) => refuse(`${HIERARCHY} cannot be read: ${why}`);
  let top;
  try {
    top = new Json(bytes).whole();
  } catch (error) {
    if (error instanceof NotJson || error instanceof Twice || error instanceof RangeError) unread("this is not valid JSON");
    throw error;
  }
  const more = () => refuse(`${HIERARCHY} holds more than a hierarchy`);
  const nodes = [], waiting = [[top, -1, 0]];
  while (waiting.length) {
    const [node, parent, depth] = waiting.pop();
    if (depth > 500) unread("nested too deeply (over 500 levels)");
    if (!(node instanceof Map) || typeof node.get("name") !== "string") more();
    const keys = [...node.keys()].join(), children = node.get("children") ?? [];
    if (keys !== "name" && (keys !== "name,children" || !Array.isArray(children) || !children.length)) more();
    const name = node.get("name"), v = nodes.length;
    if (!name) unread("a node of the hierarchy has no name");
    nodes.push({ name, parent, depth, leaf: !children.length, label: name });
    for (const child of [...children].reverse()) waiting.push([child, v, depth + 1]);
  }
  const levels = new Set(), leaves = new Set();
  for (const { name, depth, leaf } of nodes) {
    const key = `${depth} ${name}`;
    if (levels.has(key)) unread(`'${name}' stands twice on level ${depth} of the hierarchy`);
    levels.add(key);
    if (leaf && leaves.has(name)) unread(`the item '${name}' stands twice in the hierarchy`);
    if (leaf) leaves.add(name);
  }
  if (writeJson(top, 1) + "\n" !== decoded(bytes)) more();
  // The label of an inner node differs from all leaves, other inner nodes and sensitive items; so does the root's, even
  // if nothing is below it.
  const inner = nodes.filter(({ leaf }, v) => !leaf || v === 0);
  const taken = new Set([...nodes.filter(({ leaf }, v) => leaf && v > 0).map(({ name }) => name), ...sensitive]);
  const shared = new Set(taken), seen = new Set();
  for (const { name } of inner) (seen.has(name) ? shared : seen).add(name);
  for (const node of inner) {
    if (shared.has(node.name)) node.label = `${node.name}@${node.depth}`;
    while (taken.has(node.label)) node.label += "'";
    taken.add(node.label);
  }
  return { nodes, leaves };
}

SHAPES.generalized = {
  ...SHAPES.inference,
  guaranteed: (policy) => [
    basketPromise(policy)[0],
    "Confidence means: among all records that fit what that someone knows, the share of those that also hold the sensitive item. A record fits if it holds, for each known item, the node by which its group shows that item.",
    "It holds for each group of records by itself, and therefore for all of them together.",
    EXACT_PROOF,
  ],
  notGuaranteed: (policy) => [
    ...basketLimits(policy),
    `${HIERARCHY} lists the items that the data show, as themselves or as wider ones. If it is part of one that was given, and that had been made from the data, the names of wider items may tell more of them.`,
  ],
  about: (manifest) => [
    aboutBaskets(manifest, "items were replaced by wider ones, and some were deleted, wherever they would have allowed someone to infer a sensitive item; nothing was invented."),
    `${HIERARCHY} says which items a wider one stands for. ${GROUPS} says which records belong together, and for each group which nodes of the hierarchy it opens: an item is shown as the first node above it that is not open. In a name like fruit@1 the number after @ is the level of the node, where the name alone would not do.`,
  ],
  aboutCheck: () => [
    SHAPES.inference.aboutCheck()[0],
    `${COMPARES}, checks that every group shows items as ${GROUPS} says, and checks ${PROOF} against the policy, group by group.`,
    TRUE,
  ],
  files: (manifest) => [manifest.file, PROOF, GROUPS, HIERARCHY],

  async verify(release, manifest) {
    const { policy } = manifest;
    const { baskets, tagged, itemOf } = await groupedRecords(release, manifest);
    const thresholds = thresholdsOf(policy, (name) => baskets.support(name), baskets.length);
    checkThresholds(manifest, thresholds);
    const comparison = comparable(thresholds, baskets.length);
    const own = new Map([...itemOf].filter(([, item]) => comparison.has(item)).map(([name, item]) => [name, comparison.get(item)]));
    const shown = await proved(release, tagged, own, policy.knowledge);
    return { ...shown, items: thresholds.size, ...besides(baskets, ...absentNote(policy, baskets)) };
  },

  found(manifest, verdict) {
    const [first, second, third] = SHAPES.inference.found(manifest, verdict);
    return [first, `${second} That someone is taken to know how each group shows an item.`, third];
  },
};

/** The records of generalized data, once every group shows items as it should; and again with every name led by the
 * number of its group: what holds for that table holds in each group by itself. */
async function groupedRecords(release, manifest) {
  const baskets = await checkedRecords(release, manifest);
  const { policy } = manifest;
  const file = await readGroupsFile(release, baskets.length, "opened");
  const tree = readHierarchy(await release.bytes(HIERARCHY), policy.sensitive);
  const nodeOf = new Map(tree.nodes.map((node, v) => [node.label, v]));
  const opened = file.told.map((labels) => {
    if (!Array.isArray(labels) || !labels.every((label) => nodeOf.has(label))) refuse(`${GROUPS} opens a node that the hierarchy does not have`);
    return labels.map((label) => nodeOf.get(label)).sort((a, b) => a - b);
  });
  const group = groupNumbers(file, baskets.length);
  checkGroups(file, "opened", opened.map((nodes) => nodes.map((v) => tree.nodes[v].label)));
  checkCuts(baskets, group, opened.map((nodes) => new Set(nodes)), tree, nodeOf, new Set(policy.sensitive));
  const numbering = new Numbering(), itemOf = new Map();
  const records = baskets.records.map((held, u) => Array.from(held, (code) => {
    const name = `${group[u]}:${baskets.names[code]}`;
    itemOf.set(name, baskets.names[code]);
    return numbering.of(name);
  }));
  return { baskets, tagged: new Baskets(records, numbering.names), itemOf };
}

/** The opened nodes make a cut, and every record of the group shows only nodes of it, and sensitive items. */
function checkCuts(baskets, group, opened, { nodes, leaves }, nodeOf, sensitive) {
  if ([...sensitive].some((name) => leaves.has(name) || nodeOf.has(name))) refuse(`${HIERARCHY} holds a sensitive item: wider items would stand for it`);
  opened.forEach((inside, number) => {
    for (const v of inside) {
      if (nodes[v].leaf || (v !== 0 && !inside.has(nodes[v].parent))) refuse(`${GROUPS} opens nodes in group ${number} that make no cut of the hierarchy`);
    }
  });
  baskets.records.forEach((held, u) => {
    const inside = opened[group[u]];
    for (const code of held) {
      const name = baskets.names[code], v = nodeOf.get(name);
      if (sensitive.has(name)) continue;
      if (v === undefined || inside.has(v) || (v ? !inside.has(nodes[v].parent) : inside.size)) refuse(`record ${u} shows something that its group does not`);
    }
  });
}

// -------- what somebody may know of a person who lacks items: the file is its own proof

/**
 * How many different records with a sensitive item were compared with their twins, those that are equal but for that
 * item. Refused if w records are equal, v are their twins, and w / (w + v) is above the threshold.
 */
async function countTwins(baskets, thresholds, itemOf = null) {
  const table = await Classes.of(baskets);
  const classOf = new Map(table.items.map((items, c) => [items.join(), c]));
  const secret = new Map([...thresholds].map(([name, rho]) => [table.codeOf.get(name), [name, rho]]));
  let pairs = 0;
  for (const [c, items] of table.items.entries()) {
    if ((c & 255) === 0) await rest("Counting twins", c, table.items.length);
    for (const item of items) {
      if (!secret.has(item) || items.length === 1) continue;
      pairs++;
      const twin = classOf.get(items.filter((other) => other !== item).join()), [name, rho] = secret.get(item);
      const with_ = table.weight[c], without = twin === undefined ? 0 : table.weight[twin];
      if (exceeds(with_, with_ + without, rho)) refuse(`record ${table.first[c]} has too few twins without '${itemOf === null ? name : itemOf.get(name)}'`);
    }
  }
  return pairs;
}

SHAPES.absence = {
  ...SHAPES.inference,
  read(document, common) {
    const plain = readBasketManifest(document, common), absent = field(field(document, "policy"), "absent");
    if (absent === null) malformed();
    if (absent !== "any") problem('absent must be "any" (any number of items that a person lacks); leave it out if nobody knows what people lack');
    if (plain.policy.knowledge !== null) problem('absent = "any" does not work together with a limited number of known items yet; leave one of the two out');
    return { ...plain, policy: { ...plain.policy, absent } };
  },
  entries(manifest) {
    const entries = basketEntries(manifest);
    entries.get("policy").set("absent", manifest.policy.absent);
    return entries;
  },
  guaranteed: (policy) => [
    `Someone who knows ${adversary(policy)} cannot infer from this file that the person also has ${which(policy)} with a confidence above ${allowed(policy)}. It makes no difference what is known about the person's other items: that some are present, that some are absent, or any combination of both (one or the other, three of these five, not both).`,
    "Confidence means: among all records of this file that agree with what that someone knows, the share of those that also hold the sensitive item.",
    "This is exact, without rounding or sampling, for every person in the file. The file is its own proof: whoever doubts it counts equal records.",
  ],
  aboutCheck: () => [
    `You need not trust whoever made this folder: the records can be counted anew by a part of sordino ${OURS}. In this folder, run`,
    `${COMPARES}, and counts: for each record with a sensitive item, how many are equal to it, and how many are equal but for that item.`,
    TRUE,
  ],
  files: (manifest) => [manifest.file],

  async verify(release, manifest) {
    const baskets = await checkedRecords(release, manifest);
    const thresholds = thresholdsOf(manifest.policy, (name) => baskets.support(name), baskets.length);
    checkThresholds(manifest, thresholds);
    const served = await countTwins(baskets, thresholds);
    return { answer: HOLDS, reason: "counted", items: thresholds.size, served, searched: 0, ...besides(baskets, ...absentNote(manifest.policy, baskets)) };
  },

  found(manifest, verdict) {
    const items = verdict.items ? plural(verdict.items, "sensitive item") : "no sensitive item is left";
    return [
      "no sensitive item can be inferred above its threshold, whatever is known of a person's other items.",
      `${plural(manifest.records, "record")}, ${items}; someone who knows ${adversary(manifest.policy)} cannot infer one with more than ${allowed(manifest.policy)} confidence.`,
      `${readAs(manifest.form)} ${grouped(verdict.served)} entries (equal records taken once) were compared with their twins, the records that are equal but for the sensitive item. ${took(verdict)}`,
    ];
  },
  recipient: ["The policy in the manifest, for every person and everything that may be known, absences included: equal records are counted."],
};

SHAPES.generalized_absence = {
  ...SHAPES.generalized,
  read: SHAPES.absence.read,
  entries: SHAPES.absence.entries,
  guaranteed(policy) {
    const [first, , exact] = SHAPES.absence.guaranteed(policy);
    return [
      first,
      "Confidence means: among all records that agree with what that someone knows, the share of those that also hold the sensitive item. A record agrees if the nodes by which its group shows items do.",
      "It holds for each group of records by itself, and therefore for all of them together.",
      exact,
    ];
  },
  aboutCheck: () => [
    SHAPES.absence.aboutCheck()[0],
    `${COMPARES}, checks that every group shows items as ${GROUPS} says, and counts, group by group: for each record with a sensitive item, how many are equal to it, and how many are equal but for that item.`,
    TRUE,
  ],
  files: (manifest) => [manifest.file, GROUPS, HIERARCHY],

  async verify(release, manifest) {
    const { policy } = manifest, { baskets, tagged, itemOf } = await groupedRecords(release, manifest);
    const thresholds = thresholdsOf(policy, (name) => baskets.support(name), baskets.length);
    checkThresholds(manifest, thresholds);
    const own = new Map([...itemOf].filter(([, item]) => thresholds.has(item)).map(([name, item]) => [name, thresholds.get(item)]));
    const served = await countTwins(tagged, own, itemOf);
    return { answer: HOLDS, reason: "counted", items: thresholds.size, served, searched: 0, ...besides(baskets, ...absentNote(policy, baskets)) };
  },

  found(manifest, verdict) {
    const [first, second, third] = SHAPES.absence.found(manifest, verdict);
    return [first, `${second} That someone is taken to know how each group shows an item.`, third];
  },
  recipient: SHAPES.absence.recipient,
};

// -------- releases that continue earlier ones

const ALONE =
  "by itself it is valid; whether nothing can be inferred from it together with the earlier releases was not checked, which needs these, all with their keep parts: sordino verify NEW --with OLD";

SHAPES.sequel = {
  ...SHAPES.inference,
  read(document, common) {
    const previous = list(field(document, "previous"));
    if (!previous.length) malformed();
    const plain = readBasketManifest(document, common);
    if (plain.policy.knowledge !== null || plain.policy.adaptive !== false) malformed();
    return { ...plain, previous: previous.map(text) };
  },
  entries: (manifest) => basketEntries(manifest).set("previous", manifest.previous),
  about: (manifest) => [
    aboutBaskets(manifest),
    `It continues ${manifest.previous.length === 1 ? "an earlier release" : `${manifest.previous.length} earlier releases`} of the same people (${MANIFEST} says which, under "previous"). Of people who were in those it shows what was published then, and additions that tell nothing sensitive.`,
  ],
  guaranteed: (policy) => [
    ...basketPromise(policy),
    `The same holds for this file together with the earlier releases that the manifest names under "previous": someone who has all of them, knows which rows belong to the same person, in which releases the person is, and any items that they show of the person at any time, cannot infer that one of them shows ${which(policy)} with a confidence above ${allowed(policy)}, among all people who are in the same releases.`,
  ],
  notGuaranteed: (policy) => basketLimits(policy).map((sentence) =>
    sentence.startsWith("Other sources:")
      ? 'Other sources: linking this file with other data about the same people, or with releases that are not named under "previous", may tell more.'
      : sentence),
  aboutCheck() {
    const [why, how, proved_] = SHAPES.inference.aboutCheck();
    return [
      why,
      `${how} That is about this file by itself, and ends with exit code 3. Whoever has the earlier releases and all \`keep\` parts can have everything checked: sordino verify NEW --with OLD`,
      proved_,
    ];
  },
  async verify(release, manifest) {
    const verdict = await SHAPES.inference.verify(release, manifest);
    return verdict.answer === HOLDS ? { ...verdict, answer: NOT_CHECKED, reason: ALONE } : verdict;
  },
  recipient: ["The policy in the manifest, for this release by itself."],
  publisher: ["That nothing can be inferred from this and the earlier releases together: that needs the keep parts, which say whose rows are whose (sordino verify NEW --with OLD).", PUBLISHERS_WORD],
};
