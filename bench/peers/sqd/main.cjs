// The squid: decodes whole batches of swaps, computes their klines in memory, and stores them once per
// batch.
const { EvmBatchProcessor } = require('@subsquid/evm-processor')
const { TypeormDatabase } = require('@subsquid/typeorm-store')
const { In } = require('typeorm')
const { Kline, Swap } = require('./lib/model/index.js')

const { factoryV2, factoryV3, endBlock, rpcUrl, intervals } = JSON.parse(process.env.BENCH_CHAIN)
const pairCreated = '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9'
const poolCreated = '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118'
const swapV2 = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const swapV3 = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'

const processor = new EvmBatchProcessor()
  .setRpcEndpoint({ url: rpcUrl, capacity: 4, maxBatchCallSize: 100 })
  .setFinalityConfirmation(1)
  .setBlockRange({ from: 0, to: endBlock })
  .setFields({
    log: { address: true, topics: true, data: true },
    transaction: { from: true, hash: true },
  })
  .addLog({ address: [factoryV2], topic0: [pairCreated] })
  .addLog({ address: [factoryV3], topic0: [poolCreated] })
  .addLog({ topic0: [swapV2, swapV3], transaction: true })

const pools = new Set()
const word = (data, at) => BigInt(`0x${data.slice(2 + 64 * at, 66 + 64 * at)}`)
const signed = (value) => BigInt.asIntN(256, value)
const absolute = (amount) => (amount < 0n ? -amount : amount)
const addressAt = (data, at) => `0x${data.slice(26 + 64 * at, 66 + 64 * at)}`

function tradeOf({ topics, data }) {
  if (topics[0] === swapV2) {
    const [amount0, amount1] = [word(data, 0) - word(data, 2), word(data, 1) - word(data, 3)]
    return { amount0, amount1, price: Math.abs(Number(amount1) / Number(amount0)) }
  }
  const price = (Number(word(data, 2)) / 2 ** 96) ** 2
  return { amount0: signed(word(data, 0)), amount1: signed(word(data, 1)), price }
}

function swapsOf(blocks) {
  const swaps = []
  for (const { header, logs } of blocks)
    for (const log of logs) {
      if (log.topics[0] === pairCreated) pools.add(addressAt(log.data, 0))
      else if (log.topics[0] === poolCreated) pools.add(addressAt(log.data, 1))
      else if (pools.has(log.address))
        swaps.push(
          new Swap({
            ...{ id: log.id, pair: log.address, block: header.height, ...tradeOf(log) },
            ...{ time: Math.floor(header.timestamp / 1_000), wallet: log.transaction.from },
          }),
        )
    }
  return swaps
}

function addTo(klines, { pair, time, price, amount0, amount1 }) {
  for (const interval of intervals) {
    const start = time - (time % interval)
    const id = `${pair}-${interval}-${start}`
    const [volume0, volume1] = [absolute(amount0), absolute(amount1)]
    const kline = klines.get(id)
    if (kline === undefined) {
      const prices = { open: price, high: price, low: price, close: price }
      klines.set(
        id,
        new Kline({ id, pair, interval, start, ...prices, volume0, volume1, count: 1 }),
      )
      continue
    }
    kline.high = Math.max(kline.high, price)
    kline.low = Math.min(kline.low, price)
    kline.close = price
    kline.volume0 += volume0
    kline.volume1 += volume1
    kline.count += 1
  }
}

/** Only klines that began before the batch can be in the database already. */
async function loadKlines(store, swaps) {
  const ids = new Set()
  for (const { pair, time } of swaps)
    for (const interval of intervals) {
      const start = time - (time % interval)
      if (start < swaps[0].time) ids.add(`${pair}-${interval}-${start}`)
    }
  const known = ids.size === 0 ? [] : await store.findBy(Kline, { id: In([...ids]) })
  return new Map(known.map((kline) => [kline.id, kline]))
}

processor.run(new TypeormDatabase({ supportHotBlocks: false }), async ({ blocks, store }) => {
  const swaps = swapsOf(blocks)
  if (swaps.length === 0) return
  const klines = await loadKlines(store, swaps)
  for (const swap of swaps) addTo(klines, swap)
  await store.insert(swaps)
  await store.upsert([...klines.values()])
})
