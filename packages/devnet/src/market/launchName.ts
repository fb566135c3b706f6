// All begin with different two letters, which are the first half of a symbol.
const firstWords = [
  ...['Turbo', 'Based', 'Moon', 'Quiet', 'Golden', 'Tiny', 'Cosmic', 'Lucky', 'Grumpy', 'Velvet'],
  ...[
    'Salty',
    'Electric',
    'Fuzzy',
    'Humble',
    'Jolly',
    'Nimble',
    'Polar',
    'Rusty',
    'Wobbly',
    'Zesty',
  ],
]

// All begin with different three letters, which are the second half.
const secondWords = [
  ...['Otter', 'Frog', 'Whale', 'Badger', 'Noodle', 'Cactus', 'Rocket', 'Goose', 'Yak', 'Lobster'],
  ...[
    'Pickle',
    'Waffle',
    'Penguin',
    'Turnip',
    'Meerkat',
    'Kettle',
    'Dumpling',
    'Falcon',
    'Lemur',
    'Biscuit',
  ],
]

/** Unique name and symbol of the launch with this index, counted from 0. */
export function launchName(index: number): { name: string; symbol: string } {
  const column = index % firstWords.length
  const row = Math.floor(index / firstWords.length)
  const first = firstWords[column]!
  // Along a diagonal: consecutive launches share no word.
  const second = secondWords[(row + column) % secondWords.length]!
  const round = Math.floor(row / secondWords.length) + 1
  const symbol = `${first.slice(0, 2)}${second.slice(0, 3)}`.toUpperCase()
  return round === 1
    ? { name: `${first} ${second}`, symbol }
    : { name: `${first} ${second} ${round}`, symbol: `${symbol}${round}` }
}
