import { expect, test } from 'vitest'
import { programVenueNames, programVenues } from './programVenues.ts'
import { solanaVenues } from './venues.ts'

test('default: the list has every venue with pools, and no other', () => {
  const ofPools = solanaVenues.filter(({ kind }) => kind !== 'curve')
  expect(programVenueNames).toEqual(ofPools.map(({ name }) => name))
})

test('default: the list has the venue of every program', () => {
  const all = solanaVenues.flatMap(({ name, programs }) => programs.map((id) => [id, name]))
  expect(programVenues).toEqual(Object.fromEntries(all))
})
