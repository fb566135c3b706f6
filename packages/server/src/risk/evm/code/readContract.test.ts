import { toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { codeFlags } from '../contractFacts.ts'
import { findAuthorities } from './authorities.ts'
import { bytesOfHex, readInstructions } from './instructions.ts'
import { findFunctionSelectors, findPushedConstants, readContract } from './readContract.ts'
import { toProgram, traceFunction } from './traceFunction.ts'

const options = { stepsMax: 10_000, visitsMax: 8, constantsMax: 100, totalStepsMax: 100_000 }
const hex = (value: number, bytes: number) => value.toString(16).padStart(2 * bytes, '0')

/** A dispatcher as solc writes it; every body is hex without jumps of its own. */
function contractOf(bodies: Record<string, string>, fallback = '5f5ffd'): string {
  const entries = Object.entries(bodies)
  // PUSH0 CALLDATALOAD PUSH1 224 SHR
  const head = '5f3560e01c'
  const caseBytes = 11
  let at = head.length / 2 + entries.length * caseBytes + fallback.length / 2
  let cases = ''
  let code = ''
  for (const [signature, body] of entries) {
    // DUP1 PUSH4 selector EQ PUSH2 target JUMPI
    cases += `8063${toFunctionSelector(signature).slice(2)}1461${hex(at, 2)}57`
    // JUMPDEST body STOP
    const part = `5b${body}00`
    code += part
    at += part.length / 2
  }
  return `0x${head}${cases}${fallback}${code}`
}

// Hashes (argument, slot) as Solidity does for mappings.
const mapKey = (slot: string) => `6004355f5260${slot}60205260405f20`
const mapRead = (slot: string) => `${mapKey(slot)}54`
const mapWrite = (slot: string) => `602435${mapKey(slot)}55`
const token = {
  'totalSupply()': '5f54',
  'balanceOf(address)': mapRead('01'),
  'allowance(address,address)': mapRead('02'),
  'transfer(address,uint256)': `${mapRead('01')}50${mapWrite('01')}`,
  'transferFrom(address,address,uint256)': `${mapRead('01')}50${mapRead('02')}50${mapWrite('01')}`,
}

async function flagsOf(extra: Record<string, string>, fallback?: string) {
  return codeFlags(await readContract(contractOf({ ...token, ...extra }, fallback), options))
}

test('behavior: the constant of a PUSH is neither an instruction nor a selector', () => {
  // PUSH8 with "PUSH4 a9059cbb EQ ..." inside, then PUSH1 with SELFDESTRUCT inside, then STOP.
  const instructions = readInstructions(bytesOfHex('0x6763a9059cbb14610060ff00'))
  expect(instructions.map(({ op }) => op)).toEqual([0x67, 0x60, 0x00])
  expect(findFunctionSelectors(instructions).size).toBe(0)
  expect(findPushedConstants(instructions).size).toBe(0)
})

test('behavior: code that ends inside a PUSH is padded with zeros', () => {
  const [last] = readInstructions(bytesOfHex('0x63a905'))
  expect(last).toEqual({ pc: 0, op: 0x63, value: 0xa9050000n })
})

test('behavior: a constant that is not compared is not a function', async () => {
  const call = toFunctionSelector('mint(address,uint256)').slice(2)
  const code = await readContract(contractOf({ ...token, 'ping()': `63${call}50` }), options)
  expect(code.isUnderstood).toBe(true)
  expect([...code.functions.keys()].sort()).toEqual(
    [...Object.keys(token), 'ping()'].map((signature) => toFunctionSelector(signature)).sort(),
  )
})

test('behavior: reads and writes are found by slot and by mapping', () => {
  const program = toProgram(readInstructions(bytesOfHex(contractOf(token))))
  const selector = toFunctionSelector('transferFrom(address,address,uint256)')
  const trace = traceFunction(program, selector, options)
  expect([...trace.reads].sort()).toEqual(['map(0x1)', 'map(0x2)'])
  expect([...trace.writes]).toEqual(['map(0x1)'])
  expect(trace.isComplete).toBe(true)
})

test('behavior: a clean token has no power in it', async () => {
  expect(new Set(Object.values(await flagsOf({})))).toEqual(new Set([false]))
})

test.each([
  ['mint(address,uint256)', 'canMint'],
  ['pause()', 'canPause'],
  ['setBots(address[])', 'canBlacklist'],
  ['excludeFromFee(address)', 'canWhitelist'],
  ['setBuyTax(uint256)', 'canChangeTax'],
  ['setUserTax(address,uint256)', 'canChangePersonalTax'],
  ['forceTransfer(address,address,uint256)', 'canChangeBalance'],
  ['setMaxWallet(uint256)', 'canChangeMaxAmount'],
  ['setCooldownEnabled(bool)', 'hasCooldown'],
  ['reclaimOwnership()', 'canTakeBackOwnership'],
] as const)('default: %s gives %s', async (signature, flag) => {
  expect((await flagsOf({ [signature]: '' }))[flag]).toBe(true)
})

test('behavior: a function of unknown name that writes balances makes powers unknown', async () => {
  const flags = await flagsOf({ 'blessed(address,uint256)': mapWrite('01') })
  expect(flags).toMatchObject({ canMint: null, canChangeBalance: null, canPause: false })
  const harmless = await flagsOf({ 'note(address,uint256)': mapWrite('07') })
  expect(harmless).toMatchObject({ canMint: false, canChangeBalance: false, canBlacklist: false })
})

test.each([
  ['DELEGATECALL', '5f5f5f5f5f545af450'],
  ['CALLCODE', '5f5f5f5f5f5f545af250'],
])(
  'behavior: a function of unknown name that runs other code by %s may do anything',
  async (_, body) => {
    expect(await flagsOf({ 'work()': body })).toMatchObject({
      canMint: null,
      canChangeBalance: null,
    })
  },
)

test('behavior: functions that only pass ownership on give no power over holders', async () => {
  const owned = { 'owner()': '60085450', 'transferOwnership(address)': '600435600855' }
  expect(new Set(Object.values(await flagsOf(owned)))).toEqual(new Set([false]))
})

test('behavior: a slot that is a hash may be the balance of somebody', async () => {
  const hash = 'ab'.repeat(32)
  const flags = await flagsOf({ 'blessed()': `60017f${hash}55` })
  expect(flags).toMatchObject({ canMint: null, canChangeBalance: null, canPause: false })
})

test('behavior: a branch that needs payment is walked, too', async () => {
  // CALLVALUE over the rest, with JUMPDEST after a STOP, at the place that the walk finds.
  const plain = contractOf({ ...token, 'gift()': `34` })
  const at = (plain.length - 2) / 2 - 1
  const code = contractOf({ ...token, 'gift()': `3461${hex(at + 5, 2)}57005b${mapWrite('01')}` })
  expect(codeFlags(await readContract(code, options)).canMint).toBe(null)
})

test('behavior: a writable list that transfers read may be a blacklist', async () => {
  const transfer = `${mapRead('05')}50${token['transfer(address,uint256)']}`
  const flags = await flagsOf({
    'transfer(address,uint256)': transfer,
    'tune(address,uint256)': mapWrite('05'),
  })
  expect(flags).toMatchObject({ canBlacklist: null, canWhitelist: null, canMint: false })
})

test('behavior: a jump that cannot be followed makes all powers unknown', async () => {
  // Jumps to where the call data says.
  const flags = await flagsOf({ 'go(uint256)': '60043556' })
  expect(flags).toMatchObject({ canMint: null, canPause: false, canChangeBalance: null })
})

// CALLER EQ and what follows from it is not needed: a comparison alone is seen.
const onlyStored = (slot: string) => `60${slot}5473${'ff'.repeat(20)}16331450`
const onlyAccount = (account: string) => `73${account}331450`
const onlyListed = (slot: string) => `335f5260${slot}60205260405f205450`
const ownable = { 'owner()': '600954' }

test('behavior: the owner decides alone only if no other account or list does', async () => {
  const mint = (check: string) => ({ ...ownable, 'mint(address,uint256)': check + mapWrite('01') })
  expect((await flagsOf(mint(onlyStored('09')))).hasHiddenOwner).toBe(false)
  for (const check of [onlyStored('08'), onlyAccount('ab'.repeat(20)), onlyListed('07')])
    expect((await flagsOf(mint(check))).hasHiddenOwner).toBe(null)
})

test('behavior: accounts that functions with power check are found, others are not', async () => {
  const account = 'ab'.repeat(20)
  const authoritiesOf = async (extra: Record<string, string>) =>
    findAuthorities(await readContract(contractOf({ ...token, ...ownable, ...extra }), options))
  expect(
    await authoritiesOf({
      'tune(address,uint256)': onlyStored('08') + onlyStored('09') + mapWrite('01'),
      'mint(address,uint256)': onlyAccount(account) + onlyListed('07') + mapWrite('01'),
      'note(address,uint256)': onlyStored('06') + mapWrite('05'),
      'claim(address,uint256)': onlyListed('04') + mapWrite('01'),
      // The next owner accepts: it writes the owner and has no power yet.
      'acceptOwnership()': `${onlyStored('0a')}335f55`,
    }),
  ).toEqual({ stored: [{ slot: '0x8', shift: 0 }], accounts: [`0x${account}`], lists: ['0x7'] })
  // An account behind a flag in the same slot.
  const packed = `60085460081c73${'ff'.repeat(20)}16331450`
  expect(await authoritiesOf({ 'tune(address,uint256)': packed + mapWrite('01') })).toMatchObject({
    stored: [{ slot: '0x8', shift: 8 }],
  })
})

test('behavior: self-destruction counts where it is reached', async () => {
  expect((await flagsOf({ 'end()': '33ff' })).canSelfDestruct).toBe(true)
  const dead = `${contractOf(token)}fe33ff`
  expect(codeFlags(await readContract(dead, options)).canSelfDestruct).toBe(false)
})

test('behavior: a transfer that calls another contract', async () => {
  const transfer = `5f5f5f5f5f3061fffff150${token['transfer(address,uint256)']}`
  expect((await flagsOf({ 'transfer(address,uint256)': transfer })).callsOutside).toBe(true)
})

test('behavior: a fallback that runs other code may do anything', async () => {
  // DELEGATECALL of whatever the first slot names.
  const flags = await flagsOf({}, '5f5f5f5f5f545af400')
  expect(flags).toMatchObject({ canMint: null, canChangeBalance: null, canSelfDestruct: null })
})

test('behavior: code without a token in it is not understood', async () => {
  const code = await readContract(contractOf({ 'mint(address,uint256)': '' }), options)
  expect(code.isUnderstood).toBe(false)
  expect(codeFlags(code)).toMatchObject({ canMint: true, canPause: null, canBlacklist: null })
})

test('behavior: the walk of a counting loop ends', () => {
  // PUSH0, JUMPDEST PUSH1 1 ADD PUSH1 1 JUMP
  const program = toProgram(readInstructions(bytesOfHex('0x5f5b600101600156')))
  const trace = traceFunction(program, '0x00000000', options)
  expect(trace.isComplete).toBe(true)
})

test('behavior: code that takes too long is not understood', async () => {
  const code = contractOf(token)
  const few = await readContract(code, { ...options, totalStepsMax: 40 })
  expect(few.isUnderstood).toBe(false)
  expect(codeFlags(few)).toMatchObject({ canMint: null, canPause: null })
  const some = await readContract(code, { ...options, constantsMax: 2 })
  expect(some.isUnderstood).toBe(false)
})

test('behavior: powers of code that exceeds its time limit are unknown', async () => {
  const code = contractOf({ ...token, 'mint(address,uint256)': '' })
  let ms = 0
  // Each part of the walk takes a millisecond.
  const clock = { nowMs: () => ms++ }
  const some = await readContract(code, { ...options, clock, msMax: 3 })
  expect(some.isUnderstood).toBe(false)
  expect(codeFlags(some)).toMatchObject({ canMint: true, canPause: null, canSelfDestruct: false })
  expect(await readContract(code, { ...options, clock, msMax: 100 })).toMatchObject({
    isUnderstood: true,
  })
})

test('behavior: an aborted walk ends', async () => {
  const abort = new AbortController()
  const walk = readContract(contractOf(token), { ...options, signal: abort.signal })
  abort.abort()
  await expect(walk).rejects.toBe(abort.signal.reason)
})

test('behavior: creation code inside a contract adds no functions to it', async () => {
  const inner = contractOf({ 'mint(address,uint256)': '' }).slice(2)
  const factory = await readContract(`${contractOf({ 'create()': '' })}fe${inner}`, options)
  expect([...factory.functions.keys()]).toEqual([toFunctionSelector('create()')])
  // Behind a jump that cannot be followed it may be run all the same.
  const lost = await readContract(`0x60043556fe${inner}`, options)
  expect([...lost.functions.keys()]).toEqual([toFunctionSelector('mint(address,uint256)')])
})

test('behavior: a stack deeper than any compiler makes is not followed', () => {
  // 250 times PUSH0, STOP
  const program = toProgram(readInstructions(bytesOfHex(`0x${'5f'.repeat(250)}00`)))
  expect(traceFunction(program, '0x00000000', options).isComplete).toBe(false)
})
