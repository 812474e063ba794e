// Usage: node bill.js PRICE PRICE ...
const prices = process.argv.slice(2);

function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += item;
  }
  return sum;
}

console.log("Total: " + total(prices));
