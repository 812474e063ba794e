const from = Number(process.argv[2]);

for (let left = from; left > 1; left--) {
  console.log(left);
}
console.log("Go!");
