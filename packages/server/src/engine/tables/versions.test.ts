import { expect, test } from 'vitest'
import { Versions } from './versions.ts'

function create(): Versions<string> {
  const versions = new Versions<string>()
  versions.push('base')
  return versions
}

test('default', () => {
  const versions = create()
  versions.set(0, 5, 'five')
  expect(versions.current).toEqual(['five'])
  versions.revert(0, 5)
  expect(versions.current).toEqual(['base'])
})

test('behavior: a fact that comes late stays below a newer one', () => {
  const versions = create()
  versions.set(0, 6, 'six')
  versions.set(0, 5, 'five, late')
  expect(versions.current[0]).toBe('six')
  versions.revert(0, 6)
  expect(versions.current[0]).toBe('five, late')
  versions.revert(0, 5)
  expect(versions.current[0]).toBe('base')
})

test('behavior: what is final is never reverted', () => {
  const versions = create()
  versions.set(0, 5, 'five')
  versions.set(0, 6, 'six')
  versions.finalize(0, 5)
  versions.revert(0, 6)
  expect(versions.current[0]).toBe('five')
  versions.setBase(0, 'better five')
  expect(versions.current[0]).toBe('better five')
})

test('behavior: an id given back loses its versions', () => {
  const versions = create()
  versions.set(0, 5, 'five')
  versions.truncate(0)
  versions.push('another')
  versions.revert(0, 5)
  expect(versions.current).toEqual(['another'])
})
