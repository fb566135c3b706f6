import { expect, test } from 'vitest'
import { createAddressTexts } from './addressTexts.ts'

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}`
const topicOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`

test('default: the address in a topic', () => {
  const { ofTopic, isAddress } = createAddressTexts()
  expect(ofTopic(topicOf(7))).toBe(addressOf(7))
  expect(ofTopic(topicOf(7))).toBe(addressOf(7))
  expect(isAddress(addressOf(7))).toBe(true)
})

test('behavior: a topic that is not an address stays rejected', () => {
  const { ofTopic, isAddress } = createAddressTexts()
  const dirty = `0x1${topicOf(7).slice(3)}`
  const upper = addressOf(7).replace(/7$/, 'A')
  for (let time = 0; time < 3; time += 1) {
    expect(ofTopic(dirty)).toBe(null)
    expect(isAddress(upper)).toBe(false)
    expect(isAddress(topicOf(7))).toBe(false)
  }
})

test('behavior: a known topic is not an address, nor an address a topic', () => {
  const { ofTopic, isAddress } = createAddressTexts()
  expect(ofTopic(topicOf(7))).toBe(addressOf(7))
  expect(isAddress(topicOf(7))).toBe(false)
  expect(isAddress(addressOf(7))).toBe(true)
  expect(ofTopic(addressOf(7))).toBe(null)
})

test('behavior: texts stay correct beyond the size of the cache', () => {
  const { ofTopic, isAddress } = createAddressTexts({ entriesMax: 3 })
  for (let round = 0; round < 3; round += 1)
    for (let number = 0; number < 20; number += 1) {
      expect(ofTopic(topicOf(number))).toBe(addressOf(number))
      expect(isAddress(addressOf(number))).toBe(true)
    }
})
