import { expect, test } from 'vitest'
import { createApiKey } from './apiKey.ts'

test('default: keys are long, prefixed and different', () => {
  const made = new Set(Array.from({ length: 100 }, createApiKey))
  expect(made.size).toBe(100)
  for (const key of made) expect(key).toMatch(/^ct_[\w-]{43}$/)
})
