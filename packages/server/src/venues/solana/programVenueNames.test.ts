import { expect, test } from 'vitest'
import { programVenueNames } from './programVenueNames.ts'
import { solanaVenues } from './venues.ts'

test('default: every venue with pools, and no other', () => {
  const ofPools = solanaVenues.filter(({ kind }) => kind !== 'curve')
  expect(programVenueNames).toEqual(ofPools.map(({ name }) => name))
})
