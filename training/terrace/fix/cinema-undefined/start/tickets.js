const PRICE = 12;

function cost(count) {
    const total = count * PRICE;
}

const count = Number(process.argv[2]);
console.log(cost(count));
