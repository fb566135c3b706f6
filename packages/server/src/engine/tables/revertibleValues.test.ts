import { expect, test } from 'vitest'
import { RevertibleValues } from './revertibleValues.ts'

function create() {
  const settled = ['base']
  const versions = new RevertibleValues<string>({
    get: (id) => settled[id]!,
    set: (id, value) => {
      settled[id] = value
    },
  })
  return { versions, settled }
}

test('default: a set value counts until its block is reverted', () => {
  const { versions, settled } = create()
  versions.set(0, 5, 'five')
  expect(versions.get(0)).toBe('five')
  expect(settled).toEqual(['base'])
  versions.revert(0, 5)
  expect(versions.get(0)).toBe('base')
})

test('behavior: a late fact does not replace a newer one', () => {
  const { versions } = create()
  versions.set(0, 6, 'six')
  versions.set(0, 5, 'five, late')
  expect(versions.get(0)).toBe('six')
  versions.revert(0, 6)
  expect(versions.get(0)).toBe('five, late')
  versions.revert(0, 5)
  expect(versions.get(0)).toBe('base')
})

test('behavior: what is final is never reverted', () => {
  const { versions, settled } = create()
  versions.set(0, 5, 'five')
  versions.set(0, 6, 'six')
  versions.finalize(0, 5)
  versions.revert(0, 6)
  expect(versions.get(0)).toBe('five')
  versions.setFinal(0, 'better five')
  expect(versions.get(0)).toBe('better five')
  expect(settled).toEqual(['better five'])
})

test('behavior: the last value to become final is kept', () => {
  const { versions, settled } = create()
  versions.set(0, 5, 'five')
  versions.set(0, 6, 'six')
  versions.finalize(0, 6)
  expect(settled).toEqual(['six'])
})

test('behavior: a removed id loses its values', () => {
  const { versions, settled } = create()
  versions.set(0, 5, 'five')
  versions.remove(0)
  settled[0] = 'another'
  versions.revert(0, 5)
  expect(versions.get(0)).toBe('another')
})
