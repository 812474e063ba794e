let total = 0;
for (const amount of process.argv.slice(2)) {
  total += amount;
}
console.log(total);
