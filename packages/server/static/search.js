// Finds operations and topics by the words on the page.

/** Leaves what has all words of the input, in its section or in its line of the index. */
export function addSearch({ input, index, list }) {
  const links = new Map([...index.querySelectorAll('a')].map((link) => [link.hash, link]))
  const sections = [...list.querySelectorAll('section')].map((section) => ({
    section,
    text: section.textContent.toLowerCase(),
    link: links.get(`#${section.id}`),
  }))
  const guides = [...index.querySelectorAll('a:not([href^="#"])')]
  const nothing = list.querySelector('#nothing')

  function filter() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    const has = (text) => words.every((word) => text.includes(word))
    let count = 0
    for (const { section, text, link } of sections) {
      const isFound = has(`${text} ${link.textContent.toLowerCase()}`)
      section.hidden = !isFound
      link.hidden = !isFound
      if (isFound) count += 1
    }
    for (const guide of guides) guide.hidden = !has(guide.textContent.toLowerCase())
    for (const title of [...index.querySelectorAll('h3'), ...list.querySelectorAll('h2')])
      title.hidden = !hasShown(title)
    nothing.hidden = count > 0
  }

  input.addEventListener('input', filter)
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
      event.preventDefault()
      input.focus()
    } else if (event.key === 'Escape' && event.target === input) {
      input.value = ''
      filter()
    }
  })
}

/** Is anything left between this title and the next? */
function hasShown(title) {
  for (let next = title.nextElementSibling; next !== null; next = next.nextElementSibling) {
    if (next.tagName === title.tagName) return false
    if (!next.hidden) return true
  }
  return false
}
