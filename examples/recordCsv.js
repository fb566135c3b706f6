// Records every swap of a pair in a CSV file: KEY=… node examples/recordCsv.js <pair-id> <file> It
// may be stopped and started again: it goes on where the file ends, with nothing missing and
// nothing twice.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createTape } from '@chaintape/client'

const [pairId, file] = process.argv.slice(2)
const { URL_OF_SERVICE: url = 'http://localhost:8080', KEY: key } = process.env
if (file === undefined) {
  console.error('node examples/recordCsv.js <pair-id> <file>')
  process.exit(1)
}

const columns = [
  'cursor',
  'id',
  'time',
  'direction',
  'from_amount',
  'to_amount',
  'amount_usd',
  'wallet_address',
]
// The place is in the file itself, so that both are written at once. A line that was cut off is
// left out.
const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
const since = lines.length > 1 ? lines.at(-1).split(',')[0] : undefined
const output = openSync(file, 'w')
writeSync(output, [columns.join(','), ...lines.slice(1)].map((line) => `${line}\n`).join(''))

const tape = createTape({ url, key })
tape.on((event) => {
  if (event.type === 'resumed') console.log(`Goes on behind ${event.cursor}.`)
  if (event.type === 'gap') console.error(`Swaps are missing: ${event.reason}`)
})

const stream = tape.swaps(pairId, since === undefined ? {} : { since })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => tape.close())
await stream.each((swap) => {
  writeSync(output, `${columns.map((name) => swap[name]).join(',')}\n`)
  fsyncSync(output)
})
closeSync(output)
