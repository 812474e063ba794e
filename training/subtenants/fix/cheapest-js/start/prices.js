const prices = process.argv.slice(2).map(Number);
prices.sort();
console.log(prices.join(" "));
