console.log('seats');
