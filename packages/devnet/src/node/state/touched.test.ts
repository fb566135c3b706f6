import { expect, test } from 'vitest'
import { createTouched, type TraceItem } from './touched.ts'

const bytes = (last: number) => new Uint8Array([...Array(19).fill(0), last])
const address = (last: number) => `0x${last.toString(16).padStart(40, '0')}`
const write = (slot: bigint): TraceItem => ({ pc: 0n, opcode: 'SSTORE', stack: [slot] })
const end: TraceItem = { executionResult: {} }

test('default', () => {
  const touched = createTouched()
  touched.addTrace([
    { caller: bytes(1), to: bytes(2) },
    write(5n),
    { pc: 0n, opcode: 'SLOAD', stack: [99n] },
    { caller: bytes(2), to: bytes(3) },
    write(6n),
    end,
    write(7n),
    { pc: 0n, opcode: 'SELFDESTRUCT', stack: [(0xffn << 160n) | 4n] },
    end,
  ])
  expect(new Map(touched.places())).toEqual(
    new Map([
      [address(1), new Set()],
      [address(2), new Set(['0x5', '0x7'])],
      [address(3), new Set(['0x6'])],
      [address(4), new Set()],
    ]),
  )
})

test('behavior: a creation is told its address when it ends, one that fails has none', () => {
  const touched = createTouched()
  touched.addTrace([
    { caller: bytes(1) },
    write(8n),
    { executionResult: { contractAddress: bytes(9) } },
  ])
  touched.addTrace([{ caller: bytes(1) }, write(8n), end])
  expect(new Map(touched.places())).toEqual(
    new Map([
      [address(1), new Set()],
      [address(9), new Set(['0x8'])],
    ]),
  )
})

test('behavior: what a state had, and requests that change it', () => {
  const account = { address: address(1), balance: '0x0', nonce: '0x1', code: '0x' }
  const touched = createTouched([{ ...account, storage: [['0x2', '0x3']] }])
  touched.addRequest('hardhat_setStorageAt', [
    address(0xab).toUpperCase().replace('X', 'x'),
    '0x02',
  ])
  touched.addRequest('hardhat_setBalance', [address(2), '0x1'])
  touched.addRequest('evm_mine', [])
  expect(new Map(touched.places())).toEqual(
    new Map([
      [address(1), new Set(['0x2'])],
      [address(0xab), new Set(['0x2'])],
      [address(2), new Set()],
    ]),
  )
})
