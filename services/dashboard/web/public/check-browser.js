var failedStarts = 'failed-starts';
var text = 'This browser is too old for Expert Relay. Use a current Chrome, Edge, Firefox or Safari.';

function onError(event) {
  if (window.hasStarted || event.target.tagName !== 'SCRIPT') return;
  var failures = Number(sessionStorage[failedStarts] || 0) + 1;
  sessionStorage[failedStarts] = failures;
  text = failures > 6 && 'Some files of this page could not be loaded. Reload it in a minute.';
  if (!text) setTimeout(location.reload.bind(location), failures * 1000);
}

function onLoad() {
  if (window.hasStarted) delete sessionStorage[failedStarts];
  else if (text) document.getElementById('root').textContent = text;
}

addEventListener('error', onError, true);
addEventListener('load', onLoad);
