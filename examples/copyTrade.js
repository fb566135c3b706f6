// Follows a wallet's trades of a token as they happen: KEY=… node examples/copyTrade.js <token-id>
// <wallet> What a reorg reverts is taken back. A program that trades would place its orders where
// this one prints.
import { createTape, sumDecimals } from '@chaintape/client'

const [tokenId, wallet] = process.argv.slice(2)
const { URL_OF_SERVICE: url = 'http://localhost:8080', KEY: key } = process.env
if (wallet === undefined) {
  console.error('node examples/copyTrade.js <token-id> <wallet>')
  process.exit(1)
}

const tape = createTape({ url, key })
tape.on((event) => {
  if (event.type === 'gap') console.error(`Trades may be missing: ${event.reason}`)
})

// Addresses of EVM chains have no case, those of Solana do.
const written = (address) => (/^0x/i.test(address) ? address.toLowerCase() : address)
const token = written(tokenId.slice(0, tokenId.lastIndexOf('-')))
const account = written(wallet)
let held = '0'
const stream = tape.tokenSwaps(tokenId, { revisions: true, snapshot: true })
for await (const swap of stream) {
  if (swap.wallet_address !== account) continue
  const isBuy = swap.to_address === token
  const amount = isBuy ? swap.to_amount : swap.from_amount
  // Bought adds, sold takes away, and a trade that is retracted the other way round.
  const isMore = isBuy !== (swap.retracted === true)
  held = sumDecimals([held, isMore ? amount : `-${amount}`])
  const what = `${isBuy ? 'buy' : 'sell'} ${amount} for ${swap.amount_usd} USD`
  const mark = swap.retracted ? 'retracted: ' : swap.snapshot ? 'earlier: ' : ''
  console.log(`${mark}${what}, in all ${held} (${swap.transaction})`)
}
