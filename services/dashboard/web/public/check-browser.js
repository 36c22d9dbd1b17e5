// In the syntax of old browsers: says so where the page's own code does not even begin.
addEventListener('load', () => {
  if (window.hasStarted) return;
  document.getElementById('root').textContent =
    'This browser is too old for Expert Relay. Use a current Chrome, Edge, Firefox or Safari.';
});
