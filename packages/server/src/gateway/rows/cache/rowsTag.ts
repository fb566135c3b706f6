import { createHash, randomBytes } from 'node:crypto'
import type { RowBytes } from './byteRing.ts'

// Places mean nothing to another process.
const ofProcess = randomBytes(6).toString('base64url')
const radix = 36
const fewRows = 4

/**
 * A name for the bytes of these rows, by where they stand: what was written there is never changed, only given up, and no place
 * is written to twice in one generation. The rows come in the same order each time, with the same around them. Null: some are
 * not kept, and have no place.
 */
export function rowsTag(rows: readonly RowBytes[], around = ''): string | null {
  if (rows.some(({ ring }) => ring === null)) return null
  if (rows.length <= fewRows && around === '') {
    let tag = ofProcess
    for (const { generation, at } of rows)
      tag += `.${generation.toString(radix)}.${at.toString(radix)}`
    return tag
  }
  const places = new Float64Array(rows.length * 2)
  for (let index = 0; index < rows.length; index += 1) {
    places[index * 2] = rows[index]!.generation
    places[index * 2 + 1] = rows[index]!.at
  }
  return createHash('sha1').update(ofProcess).update(around).update(places).digest('base64url')
}
