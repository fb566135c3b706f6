import { toEventSelector, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import {
  isUnrunnable,
  nativeSelector,
  nativeStandardOf,
  nativeStandards,
  uiMultiplierSelector,
} from './nativeTokens.ts'

test('default: an address tells its standard', () => {
  expect(nativeStandardOf('0xB2000000000000000000010102030405060708ff')?.name).toBe('B20')
  expect(nativeStandardOf('0xca52000000000000000000ffffffffffffffffff')?.name).toBe('CAS20')
  for (const { factory } of nativeStandards) expect(nativeStandardOf(factory)).toBeNull()
})

test('default: topics and selectors are those of the names', () => {
  const created = nativeStandards.map(({ name }) =>
    toEventSelector(`${name}Created(address,uint8,string,string,uint8,bytes)`),
  )
  expect(nativeStandards.map(({ createdTopic }) => createdTopic)).toEqual(created)
  const names = ['supplyCap()', 'policyId(bytes32)', 'policyAdmin(uint64)', 'isPaused(uint8)']
  const selectors = names.map((name) => toFunctionSelector(name))
  expect(Object.values(nativeSelector)).toEqual(selectors)
  expect(uiMultiplierSelector).toBe(toFunctionSelector('uiMultiplier()'))
})

test('default: what the EVM does not run', () => {
  const codes = ['0x', '0xef', '0x60', `0xef0100${'a'.repeat(40)}`]
  expect(codes.map(isUnrunnable)).toEqual([true, true, false, false])
})
