const amounts = process.argv.slice(2);
let total = 0;
for (const amount of amounts) {
  total += amount;
}
console.log(total);
