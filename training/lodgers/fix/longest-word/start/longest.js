const fs = require("fs");

const words = fs.readFileSync("words.txt", "utf8").trim().split("\n");

let longest = "";
for (const word of words) {
  if (word.length > longest.length) {
    longest = words[0];
  }
}

console.log(longest);
