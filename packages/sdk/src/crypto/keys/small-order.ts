/*
 * What no honest key is: points of small order, by their 32 bytes with the top bit cleared. With such an
 * X25519 key every shared secret is zero; such an Ed25519 key accepts one signature for every message.
 * Spellings of these points at or above the prime are refused before anybody looks here.
 */

const ends = (first: string, middle: string, last: string) => first + middle.repeat(30) + last;

const zero = ends('00', '00', '00');
const one = ends('01', '00', '00');
const primeMinusOne = ends('ec', 'ff', '7f');

export const smallOrderPoints = {
  sign: new Set([
    zero,
    one,
    primeMinusOne,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ]),
  encrypt: new Set([
    zero,
    one,
    primeMinusOne,
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  ]),
} as const;
