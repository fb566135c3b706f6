const { EntitySchema } = require('typeorm')

class Swap {
  constructor(fields) {
    Object.assign(this, fields)
  }
}
class Kline {
  constructor(fields) {
    Object.assign(this, fields)
  }
}
const text = { type: 'text' }
const integer = { type: 'integer' }
const real = { type: 'double precision' }
const id = { type: 'text', primary: true }
const transformer = { to: (value) => value?.toString(), from: (value) => value && BigInt(value) }
const amount = { type: 'numeric', transformer }

exports.Swap = Swap
exports.Kline = Kline
exports.swapSchema = new EntitySchema({
  ...{ name: 'Swap', target: Swap, tableName: 'swap' },
  columns: {
    ...{ id, pair: text, block: integer, time: integer, wallet: text },
    ...{ amount0: amount, amount1: amount, price: real },
  },
})
exports.klineSchema = new EntitySchema({
  ...{ name: 'Kline', target: Kline, tableName: 'kline' },
  columns: {
    ...{ id, pair: text, interval: integer, start: integer },
    ...{ open: real, high: real, low: real, close: real },
    ...{ volume0: amount, volume1: amount, count: integer },
  },
})
