import { ponder } from 'ponder:registry'
import { kline, swap } from 'ponder:schema'

const { intervals } = JSON.parse(process.env.BENCH_CHAIN)
const absolute = (amount) => (amount < 0n ? -amount : amount)

async function store({ event, context }, amount0, amount1, price) {
  const { db } = context
  const pair = event.log.address
  const time = Number(event.block.timestamp)
  const [volume0, volume1] = [absolute(amount0), absolute(amount1)]
  await db.insert(swap).values({
    id: event.id,
    pair,
    block: Number(event.block.number),
    time,
    wallet: event.transaction.from,
    amount0,
    amount1,
    price,
  })
  for (const interval of intervals)
    await db
      .insert(kline)
      .values({
        pair,
        interval,
        start: time - (time % interval),
        volume0,
        volume1,
        count: 1,
        open: price,
        high: price,
        low: price,
        close: price,
      })
      .onConflictDoUpdate((row) => ({
        high: Math.max(row.high, price),
        low: Math.min(row.low, price),
        close: price,
        volume0: row.volume0 + volume0,
        volume1: row.volume1 + volume1,
        count: row.count + 1,
      }))
}

ponder.on('PairV2:Swap', (input) => {
  const { amount0In, amount1In, amount0Out, amount1Out } = input.event.args
  const [amount0, amount1] = [amount0In - amount0Out, amount1In - amount1Out]
  return store(input, amount0, amount1, Math.abs(Number(amount1) / Number(amount0)))
})

ponder.on('PoolV3:Swap', (input) => {
  const { amount0, amount1, sqrtPriceX96 } = input.event.args
  return store(input, amount0, amount1, (Number(sqrtPriceX96) / 2 ** 96) ** 2)
})
