const prices = [25, 9, 100, 10];
prices.sort();
for (const p of prices) {
  console.log(p);
}
