const todos = ['milk', 'bread'];
for (const todo of todos) {
  console.log('- ' + todo);
}
