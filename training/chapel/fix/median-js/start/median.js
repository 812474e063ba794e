const numbers = process.argv.slice(2).map(Number);
numbers.sort();

const middle = Math.floor(numbers.length / 2);
if (numbers.length % 2 === 1) {
  console.log(numbers[middle]);
} else {
  console.log((numbers[middle - 1] + numbers[middle]) / 2);
}
