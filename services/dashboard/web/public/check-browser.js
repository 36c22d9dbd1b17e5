// Written for old browsers: shows this message where the code of the page cannot start.
addEventListener('load', () => {
  if (window.hasStarted) return;
  document.getElementById('root').textContent =
    'This browser is too old for Expert Relay. Use a current Chrome, Edge, Firefox or Safari.';
});
