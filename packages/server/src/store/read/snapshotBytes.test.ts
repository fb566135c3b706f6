import { expect, test } from 'vitest'
import { CopyBytes } from '../write/rows/copyBinary.ts'
import { copiedBytesOf } from './snapshots.ts'

function copiedOf(fields: readonly Uint8Array[]): Buffer {
  const rows = new CopyBytes()
  for (const field of fields) {
    rows.row(1)
    rows.bytea(field)
  }
  return rows.finish()
}

test('default: the bytes of each row', () => {
  const fields = [Buffer.from('first'), Buffer.alloc(70_000, 255), Buffer.alloc(0)]
  expect(copiedBytesOf(copiedOf(fields))).toEqual(fields)
})

test('edge: no row', () => {
  expect(copiedBytesOf(copiedOf([]))).toEqual([])
})

test('error: an answer that was cut', () => {
  const copied = copiedOf([Buffer.from('first'), Buffer.from('second')])
  expect(() => copiedBytesOf(copied.subarray(0, -2))).toThrow(
    expect.objectContaining({ code: 'STORE_CORRUPT' }),
  )
  expect(() => copiedBytesOf(copied.subarray(0, -5))).toThrow(
    expect.objectContaining({ code: 'STORE_CORRUPT' }),
  )
})
