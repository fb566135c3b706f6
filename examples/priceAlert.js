// Tells when a token's price leaves a range: KEY=… node examples/priceAlert.js <token-id> <low>
// <high>
import { compareDecimals, createTape } from '@chaintape/client'

const [tokenId, low, high] = process.argv.slice(2)
const { URL_OF_SERVICE: url = 'http://localhost:8080', KEY: key } = process.env
if (high === undefined) {
  console.error('node examples/priceAlert.js <token-id> <low> <high>')
  process.exit(1)
}

const tape = createTape({ url, key })
tape.on((event) => {
  if (event.type === 'disconnected')
    console.error(`Lost the service, trying again: ${event.reason}`)
})

// Prices are texts with all their digits: they are compared exactly.
const sideOf = (price) => {
  if (compareDecimals(price, low) < 0) return 'below'
  return compareDecimals(price, high) > 0 ? 'above' : 'inside'
}

let side = 'inside'
for await (const { uprice: price, time } of tape.prices([tokenId])) {
  const now = sideOf(price)
  if (now !== side)
    console.log(`${new Date(time * 1_000).toISOString()} ${price} USD is ${now} ${low} to ${high}`)
  side = now
}
