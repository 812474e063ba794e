const prices = process.argv.slice(2);

let total = 0;
for (const price of prices) {
  total = total + price;
}
console.log(total);
