const bill = process.argv[2];
const tip = process.argv[3];

console.log("To pay: " + (bill + tip));
