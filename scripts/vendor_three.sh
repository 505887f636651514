#!/bin/sh
# Makes mc_place_env/rendering/page/three.js anew: the parts of three.js that the replay page uses, in one script.
# Needs npm. Run it to take over another version; the result is committed.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
page=$scripts/../mc_place_env/rendering/page
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp "$scripts/three_parts.js" "$build"
cd "$build"
npm install --silent --no-audit --no-fund three@0.187.0 esbuild@0.28.2
npx esbuild three_parts.js --bundle --minify --format=iife --global-name=THREE --outfile="$page/three.js"
cp node_modules/three/LICENSE "$page/three.LICENSE"
