#!/usr/bin/env node
import '../dist/relay.js';
