// The trial that every runtime runs: calls, an error, calls that are batched into one, and a stream
// whose connection is cut. It uses no platform API.
import { ChaintapeError, compareDecimals, createTape } from '@chaintape/client'

const tradesMin = 20
const resumesMin = 2

/** Returns the results; `ids` are the received trades in order. */
export async function tryClient({ url, key, tokenId }) {
  const asked = []
  const counted = (...given) => {
    asked.push(new URL(given[0].url ?? given[0]).pathname)
    return fetch(...given)
  }
  const tape = createTape({ url, key, fetch: counted, reconnectMsMax: 500 })
  const { rest } = tape
  const chains = (await rest.supportedChains()).map(({ chain }) => chain)
  asked.length = 0
  const prices = await Promise.all([rest.price(tokenId), rest.price(tokenId)])
  const priceRequests = asked.length
  const refused = await rest.pairDetail('nobody').catch((error) => error)
  const trades = await followTrades(tape, chains[0])
  await tape.close()
  return {
    chains,
    priceRequests,
    isPriced: compareDecimals(prices[0].current_price_usd, '0') > 0,
    error: refused instanceof ChaintapeError ? refused.code : String(refused),
    ...trades,
  }
}

async function followTrades(tape, chain) {
  let resumes = 0
  tape.on(({ type }) => {
    if (type === 'resumed') resumes += 1
  })
  const ids = []
  for await (const { id, transaction } of tape.trades({ chain })) {
    ids.push(`${id} ${transaction}`)
    if (ids.length >= tradesMin && resumes >= resumesMin) break
  }
  return { resumes, ids }
}
