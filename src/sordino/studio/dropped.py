"""A file dropped anywhere on the page: taken by the step that opens files, and by no browser as a page to show.

Without this, a file that misses the frame makes the browser leave the studio and show the file.
"""

__all__ = ["ANYWHERE", "DROPPED", "REFUSED"]

ANYWHERE = "anywhere"  # the class of the field that takes what is dropped beside it
REFUSED = {
    "several": "One file at a time, please.",
    "folder": "This is no file, but a folder: drop a file of it.",
}
DROPPED = """<script>
(() => {
  const files = (event) => event.dataTransfer && [...event.dataTransfer.types].includes('Files');
  const mark = (on) => document.body.classList.toggle('dragging', on);
  document.addEventListener('dragover', (event) => {
    if (!files(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = document.querySelector('.ANYWHERE input[type=file]') ? 'copy' : 'none';
    mark(true);
  });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) mark(false) });
  document.addEventListener('drop', () => mark(false), true);
  document.addEventListener('drop', (event) => {
    if (!files(event)) return;
    event.preventDefault();
    const field = document.querySelector('.ANYWHERE input[type=file]');
    if (!field) return;
    const things = [...event.dataTransfer.items].filter((one) => one.kind === 'file');
    if (things.length !== 1) return emitEvent('dropped', 'several');
    if (things[0].webkitGetAsEntry()?.isDirectory) return emitEvent('dropped', 'folder');
    field.files = event.dataTransfer.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  });
})();
</script>""".replace("ANYWHERE", ANYWHERE)
