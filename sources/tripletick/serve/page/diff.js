// What differs between two texts, as lines to read: "+ ", "- " or "  " before each, "…" for what is left out.

const NEAR = 3;
const MOST = 4e6;

export function compareTexts(old, now) {
  const lines = compareLines(split(old), split(now));
  const near = new Uint8Array(lines.length);
  lines.forEach((line, at) => {
    if (line[0] !== " ") near.fill(1, Math.max(0, at - NEAR), at + NEAR + 1);
  });
  const shown = [];
  lines.forEach((line, at) => {
    if (near[at]) shown.push(line);
    else if (at === 0 || near[at - 1]) shown.push("…");
  });
  return shown;
}

function split(text) {
  return text ? text.replace(/\n$/, "").split("\n") : [];
}

function compareLines(old, now) {
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && old[first] === now[first]) first++;
  let last = 0;
  while (last < most - first && old[old.length - 1 - last] === now[now.length - 1 - last]) last++;
  return [
    ...old.slice(0, first).map((line) => `  ${line}`),
    ...compareMiddle(old.slice(first, old.length - last), now.slice(first, now.length - last)),
    ...old.slice(old.length - last).map((line) => `  ${line}`),
  ];
}

// By the longest common subsequence; where its table would be too large, one after the other.
function compareMiddle(old, now) {
  const wide = now.length + 1;
  if ((old.length + 1) * wide > MOST) return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)];
  const common = new Uint32Array((old.length + 1) * wide);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * wide + j] =
        old[i] === now[j]
          ? common[(i + 1) * wide + j + 1] + 1
          : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
    }
  }
  const lines = [];
  let i = 0, j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(`  ${old[i++]}`);
      j++;
    } else if (i < old.length && (j === now.length || common[(i + 1) * wide + j] >= common[i * wide + j + 1])) {
      lines.push(`- ${old[i++]}`);
    } else lines.push(`+ ${now[j++]}`);
  }
  return lines;
}
