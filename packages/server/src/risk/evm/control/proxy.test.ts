import { expect, test } from 'vitest'
import type { PinnedState } from '../trade/pinnedState.ts'
import { fixedTarget, readProxy } from './proxy.ts'

const target = 'ab'.repeat(20)
const token = `0x${'11'.repeat(20)}`
const minimal = `0x363d3d373d3d3d363d73${target}5af43d82803e903d91602b57fd5bf3`
// DELEGATECALL of something, STOP.
const delegating = '0x5f5f5f5f5f545af400'
const word = (address: string) => `0x${'0'.repeat(24)}${address}`
const slot1967 = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const slot1822 = '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7'
const slotBeacon = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
const slotZeppelin = '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3'

type World = {
  code?: Record<string, string>
  slots?: Record<string, string>
  answers?: Record<string, string>
}

function stateOf({ code = {}, slots = {}, answers = {} }: World): PinnedState {
  return {
    code: async (addresses) => addresses.map((address) => code[address] ?? '0x'),
    storage: async (_, asked) => asked.map((slot) => slots[slot] ?? word('0'.repeat(40))),
    call: async (calls) =>
      calls.map(({ to }) => {
        const data = answers[to]
        return data ? { type: 'answered', data } : { type: 'reverted', reason: '' }
      }),
  }
}

test.each([
  ['EIP-1167', minimal],
  ['the shorter form', `0x3d3d3d3d363d3d37363d73${target}5af43d3d93803e602a57fd5bf3`],
  ['Vyper', `0x366000600037611000600036600073${target}5af4602c57600080fd5b6110006000f3`],
  ['EIP-7702', `0xef0100${target}`],
])('default: %s', async (_, code) => {
  expect(fixedTarget(code)).toBe(`0x${target}`)
  const state = stateOf({ code: { [`0x${target}`]: '0x6001' } })
  const facts = { isProxy: true, isUpgradeable: false, code: '0x6001', facets: [] }
  expect(await readProxy(state, token, code)).toEqual(facts)
})

test.each([slot1967, slot1822, slotZeppelin])('default: storage slot %s', async (slot) => {
  const state = stateOf({ code: { [`0x${target}`]: '0x6001' }, slots: { [slot]: word(target) } })
  const facts = { isProxy: true, isUpgradeable: true, code: '0x6001', facets: [] }
  expect(await readProxy(state, token, delegating)).toEqual(facts)
})

test('default: beacon', async () => {
  const beacon = 'be'.repeat(20)
  const state = stateOf({
    code: { [`0x${target}`]: '0x6001' },
    slots: { [slotBeacon]: word(beacon) },
    answers: { [`0x${beacon}`]: word(target) },
  })
  const facts = { isProxy: true, isUpgradeable: true, code: '0x6001', facets: [] }
  expect(await readProxy(state, token, delegating)).toEqual(facts)
})

test('behavior: code without DELEGATECALL is not a proxy', async () => {
  const facts = { isProxy: false, isUpgradeable: false, code: '0x6001', facets: [] }
  expect(await readProxy(stateOf({}), token, '0x6001')).toEqual(facts)
})

test('behavior: data that looks like DELEGATECALL does not make a proxy', async () => {
  const facts = { isProxy: false, isUpgradeable: false, code: delegating, facets: [] }
  expect(await readProxy(stateOf({}), token, delegating)).toEqual(facts)
})

test('behavior: a clone of a proxy is followed to its end, a loop is not', async () => {
  const proxy = `0x${target}`
  const inner = 'cd'.repeat(20)
  const state = stateOf({
    code: { [proxy]: delegating, [`0x${inner}`]: '0x6001' },
    slots: { [slot1967]: word(inner) },
  })
  const facts = { isProxy: true, isUpgradeable: true, code: '0x6001', facets: [] }
  expect(await readProxy(state, token, minimal)).toEqual(facts)
  const loop = stateOf({ code: { [proxy]: minimal } })
  expect(await readProxy(loop, token, minimal)).toMatchObject({ isProxy: true, code: null })
})
