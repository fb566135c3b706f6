// How the chains are doing, asked again and again while the page is looked at.
const everyMs = 2_000

const byId = (id) => document.getElementById(id)

function cell(text, className = '') {
  const made = document.createElement('td')
  made.textContent = text
  made.className = className
  return made
}

const stateClasses = { live: 'good', catching_up: 'wait', lagging: 'bad' }

/** Whole numbers in groups of three; nothing where there is none. */
const grouped = (count) => (count === null ? '–' : count.toLocaleString('en'))

function rowOf([name, chain]) {
  const row = document.createElement('tr')
  const first = cell(name)
  if (chain.demo) {
    const mark = document.createElement('span')
    mark.className = 'demo'
    mark.textContent = 'demo data'
    first.append(mark)
  }
  row.append(
    first,
    cell(chain.state.replace('_', ' '), stateClasses[chain.state]),
    cell(grouped(chain.head_block), 'number'),
    cell(chain.head_age_s === null ? '–' : `${grouped(chain.head_age_s)} s`, 'number'),
    cell(chain.lag_blocks === null ? '–' : `${grouped(chain.lag_blocks)} blocks`, 'number'),
  )
  return row
}

function noteOf(text) {
  const item = document.createElement('li')
  item.textContent = text
  return item
}

function showState(text, className) {
  const state = byId('state')
  state.textContent = text
  state.className = `state ${className}`
}

async function refresh() {
  try {
    const answer = await fetch('/health/ready')
    const { ready, reasons, warnings, chains } = await answer.json()
    showState(ready ? 'ready' : 'not ready yet', ready ? 'good' : 'wait')
    byId('chains').replaceChildren(...Object.entries(chains).map(rowOf))
    byId('notes').replaceChildren(...[...reasons, ...warnings].map(noteOf))
  } catch {
    showState('the service does not answer', 'bad')
  }
}

async function showVersion() {
  const { version } = await (await fetch('/health/live')).json()
  byId('version').textContent = `version ${version}`
}

byId('socket').textContent = `${location.origin.replace(/^http/, 'ws')}/ws`
byId('curl').textContent = `curl -H "X-API-KEY: $KEY" "${location.origin}/v2/supported_chains"`
showVersion().catch(() => undefined)
await refresh()
setInterval(() => document.hidden || refresh(), everyMs)
