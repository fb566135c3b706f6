import { gcNeutralBuffer } from './gcNeutralBuffer.ts'

type Column = BigUint64Array | Float64Array | Int16Array | Int32Array | Uint8Array | Uint32Array

type Make<column> = new (from: number | SharedArrayBuffer) => column

/** A copy of a full array with twice its room, and at least for `lengthMin` values. */
export function doubled<column extends Column>(full: column, lengthMin = 0): column {
  const longer = new (full.constructor as Make<column>)(Math.max(2 * full.length, lengthMin))
  longer.set(full as never)
  return longer
}

/** The same in memory that V8 does not count, for long-lived arrays. */
export function doubledGcNeutral<column extends Column>(full: column): column {
  const longer = new (full.constructor as Make<column>)(gcNeutralBuffer(2 * full.byteLength))
  longer.set(full as never)
  return longer
}
