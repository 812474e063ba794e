const first = process.argv[2];
const second = process.argv[3];
const total = first + second;
console.log("Total: " + total);
